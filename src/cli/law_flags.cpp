#include "cli/law_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/whole_file.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::string_view kVegaLite = ".json";
constexpr std::string_view kGnuplot = ".gp";

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// The values of a list, each by `parse`.
template <typename Parse>
std::vector<double> parse_list(const std::string& text, const std::string& where, Parse parse) {
  std::vector<double> values;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    values.push_back(parse(rest.substr(0, comma), where));
    if (comma == rest.size()) return values;
    rest.remove_prefix(comma + 1);
  }
}

double parse_share(std::string_view text, const std::string& where) {
  return parse_fraction(text, where).to_double();
}

}  // namespace

std::vector<double> parse_real_list(const std::string& text, const std::string& where) {
  return parse_list(text, where, [](std::string_view one, const std::string& place) {
    return parse_real(one, place);
  });
}

void LawsFlag::declare(Flags& flags, const std::string& otherwise) {
  flags.repeatable("--law", "LAW", names, "Name or file; default: " + otherwise);
}

std::vector<Law> LawsFlag::value(const Presets& presets,
                                 const std::vector<std::string>& otherwise) const {
  std::vector<Law> laws;
  for (const std::string& name : names.empty() ? otherwise : names) {
    laws.push_back(presets.law(name));
  }
  return laws;
}

void BudgetsFlag::declare(Flags& flags, const std::string& otherwise) {
  flags.option("--budget", "C,...", list, "Training FLOPs; " + otherwise);
}

std::vector<double> BudgetsFlag::value(const std::vector<double>& otherwise) const {
  return list ? parse_real_list(*list, "--budget") : otherwise;
}

void ScenarioFlags::declare(Flags& flags) {
  flags.option("--sparsity", "S,...", sparsity, "Compute-equivalent sparsity, 0.95 or 95%");
  flags.option("--visits", "R", visits, "Of the looped block; for a loop law");
  flags.option("--recurrent-share", "X", recurrent_share,
               "Stored parameters inside the loop; for a loop law");
}

std::vector<LawScenario> ScenarioFlags::value(const std::vector<double>& otherwise) const {
  LawScenario scenario;
  if (visits) scenario.visits = parse_real(*visits, "--visits");
  if (recurrent_share) {
    scenario.recurrent_share = parse_share(*recurrent_share, "--recurrent-share");
  }
  std::vector<LawScenario> scenarios;
  for (const double one : sparsity ? parse_list(*sparsity, "--sparsity", parse_share) : otherwise) {
    scenario.sparsity = one;
    scenarios.push_back(scenario);
  }
  return scenarios;
}

void FigureFlags::declare(Flags& flags, const std::vector<std::string>& kinds) {
  kinds_ = kinds;
  flags.repeatable(
      "--figure", "KIND:FILE", requests,
      fmt::format("Draw {}; FILE.json: Vega-Lite, FILE.gp: gnuplot", fmt::join(kinds, ", ")));
}

FigureFlags::Target FigureFlags::parse(const std::string& request) const {
  const std::size_t colon = std::min(request.find(':'), request.size());
  Target target{request.substr(0, colon), request.substr(std::min(colon + 1, request.size()))};
  if (std::find(kinds_.begin(), kinds_.end(), target.kind) == kinds_.end()) {
    throw InputError("--figure", fmt::format("no figure '{}' here", target.kind),
                     fmt::format("{}, as in {}:FILE.json", fmt::join(kinds_, " or "), kinds_[0]));
  }
  if (!ends_with(target.file, kVegaLite) && !ends_with(target.file, kGnuplot)) {
    throw InputError("--figure", fmt::format("'{}' has no form of a figure", target.file),
                     "FILE.json (Vega-Lite) or FILE.gp (gnuplot)");
  }
  return target;
}

void FigureFlags::save(const Target& target, const Figure& figure) {
  std::string text;
  if (ends_with(target.file, kVegaLite)) {
    text = vega_lite(figure);
  } else {
    const std::string stem = target.file.substr(0, target.file.size() - kGnuplot.size());
    text = gnuplot_script(figure, stem.substr(stem.rfind('/') + 1) + ".png");
  }
  WholeFile(target.file, text).commit();
}

}  // namespace smelt::cli
