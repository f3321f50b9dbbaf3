#include "smelt/rule_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/error.hpp"
#include "smelt/json_value.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

constexpr std::string_view kDots = "..";

/// The parts of `text` between separators; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::int64_t axis_value(std::string_view text, std::string_view where) {
  return parse_count(printable(text), where, 1, kLargestAxisValue);
}

/// "LO..HI%STEP" with the dots at `dots`.
Axis parse_range(std::string_view text, std::size_t dots, std::string_view where) {
  const std::string_view low = text.substr(0, dots);
  std::string_view high = text.substr(dots + kDots.size());
  Axis axis;
  if (const std::size_t percent = high.find('%'); percent != std::string_view::npos) {
    axis.multiple_of = axis_value(high.substr(percent + 1), where);
    high = high.substr(0, percent);
  }
  if (!low.empty()) axis.lowest = axis_value(low, where);
  if (!high.empty()) axis.highest = axis_value(high, where);
  return axis;
}

}  // namespace

Axis checked_axis(Axis axis, std::string_view where) {
  std::sort(axis.values.begin(), axis.values.end());
  axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
  if (axis.values.size() > kLongestAxis) {
    throw InputError(std::string(where), fmt::format("lists {} values", axis.values.size()),
                     "at most 100,000, or a range LO..HI%STEP");
  }
  if (!axis.lowest || !axis.highest) return axis;
  if (*axis.lowest > *axis.highest) {
    throw InputError(std::string(where),
                     fmt::format("{} to {} is an empty range", *axis.lowest, *axis.highest),
                     "the smaller bound first");
  }
  if (*axis.highest / axis.multiple_of * axis.multiple_of < *axis.lowest) {
    throw InputError(std::string(where),
                     fmt::format("no multiple of {} lies from {} to {}", axis.multiple_of,
                                 *axis.lowest, *axis.highest),
                     "a wider range or a smaller step");
  }
  return axis;
}

Axis parse_axis(std::string_view text, std::string_view where) {
  const std::size_t dots = text.find(kDots);
  if (dots != std::string_view::npos) return checked_axis(parse_range(text, dots, where), where);
  Axis axis;
  for (const std::string_view part : split(text, ',')) {
    axis.values.push_back(axis_value(part, where));
  }
  return checked_axis(std::move(axis), where);
}

Tolerance parse_tolerance(std::string_view text, std::string_view where, Tolerance base) {
  struct Budget {
    const char* name = nullptr;
    Rational* tolerance = nullptr;
    bool given = false;
  };
  Budget budgets[] = {{"flops", &base.flops}, {"params", &base.params}, {"kv", &base.kv}};
  static constexpr const char* kForm = "as in flops=4%,params=1%,kv=4%";
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = printable(part.substr(0, equals));
    auto* const budget = std::find_if(std::begin(budgets), std::end(budgets),
                                      [&](const Budget& b) { return b.name == name; });
    if (equals == std::string_view::npos || budget == std::end(budgets)) {
      throw InputError(std::string(where), fmt::format("'{}' names no budget", printable(part)),
                       kForm);
    }
    if (budget->given) {
      throw InputError(std::string(where), fmt::format("{} is given twice", name), kForm);
    }
    budget->given = true;
    *budget->tolerance = parse_fraction(printable(part.substr(equals + 1)), where);
  }
  return base;
}

void check_ratio_range(const RatioRange& range, std::string_view where) {
  if (range.highest && *range.highest <= Rational(0)) {
    throw InputError(std::string(where), "the highest ratio is 0", "above 0");
  }
  if (range.lowest && range.highest && *range.lowest > *range.highest) {
    throw InputError(std::string(where),
                     fmt::format("{} to {} is an empty range", to_string(*range.lowest),
                                 to_string(*range.highest)),
                     "the smaller bound first");
  }
}

RatioRange parse_ratio_range(std::string_view text, std::string_view where) {
  const std::size_t dots = text.find(kDots);
  if (dots == std::string_view::npos) {
    throw InputError(std::string(where), fmt::format("'{}' is no range", printable(text)),
                     "as in 0.85..1.15");
  }
  const std::string low = printable(text.substr(0, dots));
  const std::string high = printable(text.substr(dots + kDots.size()));
  RatioRange range;
  if (!low.empty()) range.lowest = parse_fraction(low, where);
  if (!high.empty()) range.highest = parse_fraction(high, where);
  check_ratio_range(range, where);
  return range;
}

}  // namespace smelt
