#include "smelt/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/data_argument.hpp"
#include "cli/model_flags.hpp"
#include "cli/rule_flags.hpp"
#include "smelt/dimensions.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kLargestValue = 1'000'000'000;
constexpr std::int64_t kMostValues = 10'000;

std::int64_t parse_value(const std::string& text) {
  return parse_count(text, "--values", 0, kLargestValue);
}

/// "LO..HI%STEP": the multiples of STEP from LO to HI.
std::vector<std::int64_t> parse_value_range(const std::string& text, std::size_t dots) {
  const std::size_t percent = std::min(text.find('%'), text.size());
  const std::int64_t lowest = parse_value(text.substr(0, dots));
  const std::int64_t highest = parse_value(text.substr(dots + 2, percent - dots - 2));
  const std::int64_t step =
      percent < text.size() ? parse_count(text.substr(percent + 1), "--values", 1, kLargestValue)
                            : 1;
  std::vector<std::int64_t> values;
  for (std::int64_t value = ceil_div(lowest, step) * step; value <= highest; value += step) {
    values.push_back(value);
    if (std::ssize(values) > kMostValues) {
      throw InputError("--values", "'" + text + "' has too many", "at most 10,000");
    }
  }
  if (values.empty()) throw InputError("--values", "'" + text + "' has none", "LO..HI%STEP");
  return values;
}

/// A list "a,b,c" or a range.
std::vector<std::int64_t> parse_values(const std::string& text) {
  if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
    return parse_value_range(text, dots);
  }
  std::vector<std::int64_t> values;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    values.push_back(parse_value(text.substr(start, end - start)));
    start = end + 1;
  }
  return values;
}

/// The loss of each value that a table with a column of the axis's name and one called "loss" has.
std::vector<std::pair<std::int64_t, double>> read_losses(const DataTable& table, SweepAxis axis) {
  const std::size_t value = table.column(sweep_axis_name(axis));
  const std::size_t loss = table.column("loss");
  std::vector<std::pair<std::int64_t, double>> losses;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string line = fmt::format("line {}", table.lines[i]);
    losses.emplace_back(parse_count(table.rows[i][value], line, 0, kLargestValue),
                        parse_real(table.rows[i][loss], line));
  }
  return losses;
}

std::vector<std::int64_t> every(std::int64_t lowest, std::int64_t highest, std::int64_t step) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = lowest; value <= highest; value += step) values.push_back(value);
  return values;
}

class SweepCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "sweep"; }
  [[nodiscard]] std::string summary() const override {
    return "One matched design for each value of a loop's span, depth or visits";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt sweep baseline-200m-s85 --axis span";
  }

  void declare(Flags& flags) override {
    flags.positional("BASELINE", baseline_, "The model whose budgets are to be met");
    flags.heading("Sweep");
    flags.option("--axis", "AXIS", axis_, "span, depth, visits, position or experts; required");
    flags.option("--values", "VALUES", values_, "a,b,c or LO..HI%STEP; default: by the axis");
    flags.option("--losses", "DATA", losses_, "CSV or preset with columns AXIS and loss");
    flags.option("--loop", "LOOP", loop_, "What the axis leaves as it is; default 1/2x2");
    flags.option("--layers", "L", layers_, "Physical layers; default: the Baseline's");
    flags.option("--objective", "NAME", objective_, "max (default), sum or scaled");
    rules_.declare(flags);
    keys_.declare(flags);
    counting_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    if (!axis_) {
      throw InputError("--axis", "is missing", "span, depth, visits, position or experts");
    }
    SweepRequest request;
    request.axis = parse_sweep_axis(*axis_, "--axis");
    request.problem = read_problem(presets);
    request.control = counting_.control_value(presets, keys_);
    std::vector<std::pair<std::int64_t, double>> losses;
    if (losses_) losses = checked_losses(presets, request.axis);
    request.values = values(request, losses);
    check_values(request);
    if (losses_) request.losses = losses_of(request.values, losses);
    SweepResult result = sweep(request);
    const int status = result.all_feasible() ? 0 : 1;
    return answer(std::move(result), status);
  }

 private:
  [[nodiscard]] MatchProblem read_problem(const Presets& presets) const {
    MatchProblem problem;
    problem.baseline = read_model_argument(baseline_, presets, keys_);
    counting_.apply_kv_policy(problem.baseline);
    problem.num_layers =
        layers_ ? parse_count(*layers_, "--layers", 1, kMostLayers) : problem.baseline.num_layers();
    problem.loop = parse_loop(loop_.value_or("1/2x2"), problem.num_layers, "--loop");
    if (!problem.loop) throw InputError("--loop", "'none' leaves nothing to sweep", "as in 1/2x2");
    problem.rules = rules_.value(presets);
    problem.convention = counting_.convention.value();
    if (objective_) problem.objective = parse_objective(*objective_, "--objective");
    return problem;
  }

  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> checked_losses(const Presets& presets,
                                                                            SweepAxis axis) const {
    try {
      return read_losses(read_data_argument(*losses_, presets), axis);
    } catch (const InputError& error) {
      throw error.within("--losses");
    }
  }

  /// Those asked for, those that losses are given for, or what the axis has by itself.
  [[nodiscard]] std::vector<std::int64_t> values(
      const SweepRequest& request,
      const std::vector<std::pair<std::int64_t, double>>& losses) const {
    if (values_) return parse_values(*values_);
    if (!losses.empty()) {
      std::vector<std::int64_t> given;
      given.reserve(losses.size());
      for (const auto& [value, loss] : losses) given.push_back(value);
      return given;
    }
    const std::int64_t layers = request.problem.num_layers;
    switch (request.axis) {
      case SweepAxis::kSpan:
        return every(0, layers, layers % 2 == 0 ? 2 : 1);
      case SweepAxis::kDepth:
        return every(std::max<std::int64_t>(2, layers - 4), layers + 2, 2);
      case SweepAxis::kVisits:
        return every(1, 4, 1);
      case SweepAxis::kPosition:
        return every(1, layers - request.problem.loop->length + 1, 1);
      case SweepAxis::kExperts:
        break;
    }
    const std::int64_t experts = dimensions_of(request.problem.baseline).num_experts;
    return {experts, 5 * experts / 4, 3 * experts / 2, 7 * experts / 4, 2 * experts};
  }

  static void check_values(const SweepRequest& request) {
    try {
      for (const std::int64_t value : request.values) {
        problem_at(request.problem, request.axis, value);
      }
    } catch (const InputError& error) {
      throw error.within("--values");
    }
  }

  static std::vector<std::optional<double>> losses_of(
      const std::vector<std::int64_t>& values,
      const std::vector<std::pair<std::int64_t, double>>& losses) {
    std::vector<std::optional<double>> found;
    for (const std::int64_t value : values) {
      const auto known = std::find_if(losses.begin(), losses.end(),
                                      [&](const auto& each) { return each.first == value; });
      found.push_back(known == losses.end() ? std::nullopt : std::optional(known->second));
    }
    return found;
  }

  std::string baseline_;
  std::optional<std::string> axis_;
  std::optional<std::string> values_;
  std::optional<std::string> losses_;
  std::optional<std::string> loop_;
  std::optional<std::string> layers_;
  std::optional<std::string> objective_;
  RuleFlags rules_;
  AttendedKeysFlags keys_;
  CountingFlags counting_;
};

}  // namespace

std::unique_ptr<Command> make_sweep_command() { return std::make_unique<SweepCommand>(); }

}  // namespace smelt::cli
