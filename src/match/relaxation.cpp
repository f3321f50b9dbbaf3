#include "match/relaxation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "match/best.hpp"
#include "match/grid.hpp"
#include "match/order.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

/// How far a candidate stands from what the rules or tolerances ask for; smaller is nearer.
using Distance = std::function<Rational(const Candidate&)>;

/// Smallest distance first, then the problem's own order.
struct ByDistance {
  Distance distance;
  Order order;

  bool operator()(const Candidate& a, const Candidate& b) const {
    const Rational da = distance(a);
    const Rational db = distance(b);
    return da == db ? order(a, b) : da < db;
  }
};

Order order_of(const MatchProblem& problem, const DeclaredGrid& grid) {
  return {problem.objective, grid.baseline(), problem.rules.tolerance, grid.reference()};
}

/// The candidate within tolerance that has the smallest distance.
std::optional<Candidate> nearest_within_tolerance(const MatchProblem& problem,
                                                  const Distance& distance) {
  const DeclaredGrid grid(problem);
  Best best(ByDistance{distance, order_of(problem, grid)}, 1);
  grid.visit_within(windows_within(problem.rules.tolerance, grid.baseline()),
                    [&](const Candidate& point) { return best.offer(point); });
  const std::vector<Candidate> found = best.sorted(grid.baseline());
  return found.empty() ? std::nullopt : std::optional(found.front());
}

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

bool any_within_tolerance(const MatchProblem& problem) {
  const DeclaredGrid grid(problem);
  const Windows windows = windows_within(problem.rules.tolerance, grid.baseline());
  return !grid.visit_within(windows, [](const Candidate&) { return false; }).complete;
}

/// The step by which a tolerance is first widened where it is zero.
const Rational kLeastTolerance(1, 1000);

/// Tolerances are doubled until a point lies within; beyond this factor none ever will.
constexpr int kMostDoublings = 30;

/// The tolerance doubled that often; up to a whole number where its digits leave no room for more,
/// which is far above 1.
Rational widened(const Rational& tolerance, int doublings) {
  const Rational least = std::max(tolerance, kLeastTolerance);
  const std::int64_t factor = std::int64_t{1} << doublings;
  if (least.num() <= kUnbounded / factor) return least * Rational(factor);
  const Int128 whole = (Int128{least.num()} * factor + least.den() - 1) / least.den();
  return static_cast<std::int64_t>(std::min<Int128>(whole, kUnbounded));
}

/// A tolerance in per cent, rounded up to two decimals so that it admits what it was read from.
std::string percent_rounded_up(Int128 distance, Count baseline) {
  const std::int64_t hundredths = ceil_div(distance * 10'000, baseline.value());
  return fmt::format("{}.{:02}%", hundredths / 100, hundredths % 100);
}

/// A tolerance in per cent, exactly.
std::string as_percent(const Rational& tolerance) {
  return to_string(tolerance * Rational(100)) + "%";
}

/// One of the three budgets: its tolerance, its count, its name.
struct BudgetField {
  const char* name;
  Rational Tolerance::*tolerance;
  Count Budget::*count;
};

constexpr std::array<BudgetField, 3> kBudgetFields = {{
    {"tolerance/flops", &Tolerance::flops, &Budget::training_flops_per_token},
    {"tolerance/params", &Tolerance::params, &Budget::non_embedding_params},
    {"tolerance/kv", &Tolerance::kv, &Budget::kv_elements_per_token},
}};

std::optional<Relaxation> relaxed_tolerance(MatchProblem problem, const BudgetField& field) {
  const Rational original = problem.rules.tolerance.*field.tolerance;
  const Count target = budget_of(problem.baseline, problem.convention).*field.count;
  const auto gap = [&](const Candidate& point) {
    return std::abs(((point.budget.*field.count) - target).value());
  };
  problem.rules.tolerance.*field.tolerance = widened(original, kMostDoublings);
  if (!any_within_tolerance(problem)) return std::nullopt;
  for (int doublings = 1; doublings <= kMostDoublings; ++doublings) {
    problem.rules.tolerance.*field.tolerance = widened(original, doublings);
    if (const auto found = nearest_within_tolerance(problem, gap)) {
      return Relaxation{field.name, as_percent(original), percent_rounded_up(gap(*found), target),
                        *found};
    }
  }
  return std::nullopt;
}

/// One dimension of the grid: its axis in the rules, its value in a design, and how many times its
/// upper bound a relaxation looks.
struct AxisField {
  const char* name;
  Axis Rules::*axis;
  std::int64_t (*value)(const Dimensions&);
  std::int64_t reach;
};

constexpr std::array<AxisField, 6> kAxisFields = {{
    {"hidden_size", &Rules::hidden_size, [](const Dimensions& d) { return d.hidden_size; }, 2},
    {"num_experts", &Rules::num_experts, [](const Dimensions& d) { return d.num_experts; }, 16},
    {"moe_intermediate_size", &Rules::moe_intermediate_size,
     [](const Dimensions& d) { return d.ffn_width; }, 4},
    {"head_dim", &Rules::head_dim,
     [](const Dimensions& d) { return d.heads ? d.heads->head_dim : 0; }, 4},
    {"num_key_value_heads", &Rules::num_key_value_heads,
     [](const Dimensions& d) { return d.heads ? d.heads->num_key_value_heads : 0; }, 4},
    {"kv_lora_rank", &Rules::kv_lora_rank,
     [](const Dimensions& d) { return d.ranks && !d.heads ? d.ranks->kv_lora_rank : 0; }, 4},
}};

/// The most values by which a relaxation looks beyond a bound.
constexpr std::int64_t kMostSteps = 10'000;

/// The bounds of an axis, those that it leaves out taken from the Baseline.
struct Bounds {
  std::int64_t lowest;
  std::int64_t highest;
};

Bounds bounds_of(const MatchProblem& problem, const AxisField& field) {
  const Axis& axis = problem.rules.*field.axis;
  if (!axis.values.empty()) {
    const auto [low, high] = std::minmax_element(axis.values.begin(), axis.values.end());
    return {*low, *high};
  }
  const std::int64_t own = field.value(dimensions_of(problem.baseline));
  const bool to_any = field.axis == &Rules::moe_intermediate_size;
  std::int64_t least = to_any || field.axis == &Rules::hidden_size ? 1 : own;
  if (field.axis == &Rules::num_experts) least = experts_per_token(problem);
  return {axis.lowest.value_or(least), axis.highest.value_or(to_any ? kUnbounded : own)};
}

/// The axis with both bounds moved outwards, by no more than kMostSteps; a bound that the FLOPs set
/// stays theirs.
Axis wider_axis(const MatchProblem& problem, const AxisField& field, const Bounds& bounds) {
  Axis axis = problem.rules.*field.axis;
  const Int128 most = Int128{kMostSteps} * axis.multiple_of;
  const std::int64_t least = field.axis == &Rules::num_experts ? experts_per_token(problem) : 1;
  axis.values.clear();
  axis.lowest = static_cast<std::int64_t>(std::max<Int128>(least, bounds.lowest - most));
  axis.highest.reset();
  if (bounds.highest != kUnbounded) {
    axis.highest = static_cast<std::int64_t>(
        std::min(Int128{bounds.highest} * field.reach, bounds.highest + most));
  }
  return axis;
}

/// Adds one value to an axis that is a list: the one nearest to any of the list.
std::optional<Relaxation> relaxed_list(MatchProblem problem, const AxisField& field) {
  const std::vector<std::int64_t> listed = (problem.rules.*field.axis).values;
  const auto nearest_listed = [&](std::int64_t value) {
    return *std::min_element(listed.begin(), listed.end(), [&](std::int64_t a, std::int64_t b) {
      return std::abs(a - value) < std::abs(b - value);
    });
  };
  const auto beyond = [&](const Candidate& point) -> Rational {
    const std::int64_t value = field.value(point.dimensions);
    return std::abs(value - nearest_listed(value));
  };
  problem.rules.*field.axis = wider_axis(problem, field, bounds_of(problem, field));
  if (kv_geometries(problem) > kMostGeometries) return std::nullopt;
  const auto found = nearest_within_tolerance(problem, beyond);
  if (!found) return std::nullopt;
  const std::int64_t value = field.value(found->dimensions);
  return Relaxation{field.name, std::to_string(nearest_listed(value)), std::to_string(value),
                    *found};
}

/// Moves one bound of one axis outwards, the other axes and all shape rules unchanged.
std::optional<Relaxation> relaxed_bound(MatchProblem problem, const AxisField& field) {
  if (!(problem.rules.*field.axis).values.empty()) return relaxed_list(problem, field);
  const Bounds bounds = bounds_of(problem, field);
  const auto beyond = [&](const Candidate& point) -> Rational {
    const std::int64_t value = field.value(point.dimensions);
    return std::max<std::int64_t>({0, value - bounds.highest, bounds.lowest - value});
  };
  problem.rules.*field.axis = wider_axis(problem, field, bounds);
  if (kv_geometries(problem) > kMostGeometries) return std::nullopt;
  const auto found = nearest_within_tolerance(problem, beyond);
  if (!found || beyond(*found) == Rational(0)) return std::nullopt;
  const std::int64_t value = field.value(found->dimensions);
  const bool above = value > bounds.highest;
  return Relaxation{fmt::format("{}/{}", field.name, above ? "max" : "min"),
                    std::to_string(above ? bounds.highest : bounds.lowest), std::to_string(value),
                    *found};
}

/// The divisors of `number` below it, largest first.
std::vector<std::int64_t> smaller_divisors(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  std::vector<std::int64_t> smaller;
  for (std::int64_t part = 1; part <= number / part; ++part) {
    if (number % part != 0) continue;
    if (part > 1) divisors.push_back(number / part);
    if (part < number / part) smaller.push_back(part);
  }
  divisors.insert(divisors.end(), smaller.rbegin(), smaller.rend());
  return divisors;
}

/// The coarsest finer step of one axis that admits a design.
std::optional<Relaxation> relaxed_step(MatchProblem problem, const AxisField& field) {
  Axis& axis = problem.rules.*field.axis;
  if (!axis.values.empty()) return std::nullopt;
  const std::int64_t original = axis.multiple_of;
  for (const std::int64_t step : smaller_divisors(original)) {
    axis.multiple_of = step;
    if (kv_geometries(problem) > kMostGeometries) break;
    if (const auto found = nearest_within_tolerance(problem, [](const Candidate&) { return 0; })) {
      return Relaxation{fmt::format("{}/multiple_of", field.name), std::to_string(original),
                        std::to_string(step), *found};
    }
  }
  return std::nullopt;
}

/// A shape ratio of the rules and the width that it divides by the hidden size.
struct RatioField {
  const char* name;
  RatioRange Rules::*range;
  std::int64_t (*width)(const Dimensions&);
};

constexpr RatioField kFfnRatio = {"ffn_ratio", &Rules::ffn_ratio,
                                  [](const Dimensions& d) { return d.ffn_width; }};
constexpr RatioField kQueryRatio = {"query_ratio", &Rules::query_ratio, [](const Dimensions& d) {
                                      return d.heads ? d.heads->num_heads * d.heads->head_dim : 0;
                                    }};

/// (width / H) / (width_0 / H_0).
Rational ratio_of(const RatioField& field, const Dimensions& design, const Dimensions& reference) {
  return Rational(field.width(design), design.hidden_size) *
         Rational(reference.hidden_size, field.width(reference));
}

/// Without bounds; where something has to bound the ratio, that is further out by kRatioReach.
constexpr std::int64_t kRatioReach = 4;

std::optional<Relaxation> relaxed_ratio(MatchProblem problem, const RatioField& field) {
  const auto [lowest, highest] = std::exchange(problem.rules.*field.range, {});
  if (!lowest && !highest) return std::nullopt;
  if (field.range == &Rules::query_ratio && highest) {
    (problem.rules.*field.range).highest = *highest * Rational(kRatioReach);
  }
  const Dimensions reference = dimensions_of(problem.baseline);
  const auto beyond = [&, lowest = lowest, highest = highest](const Candidate& point) {
    const Rational ratio = ratio_of(field, point.dimensions, reference);
    if (highest && ratio > *highest) return ratio - *highest;
    return lowest && ratio < *lowest ? *lowest - ratio : Rational(0);
  };
  const auto found = nearest_within_tolerance(problem, beyond);
  if (!found) return std::nullopt;
  const Rational ratio = ratio_of(field, found->dimensions, reference);
  const bool above = highest && ratio > *highest;
  const Int128 scaled = Int128{ratio.num()} * 10'000;
  const std::int64_t rounded =
      above ? ceil_div(scaled, ratio.den()) : floor_div(scaled, ratio.den());
  return Relaxation{fmt::format("{}/{}", field.name, above ? "max" : "min"),
                    to_string(above ? *highest : *lowest),
                    shortest(static_cast<double>(rounded) / 10'000), *found};
}

std::optional<Relaxation> relaxed_query_width(MatchProblem problem) {
  if (!problem.rules.query_width_is_hidden) return std::nullopt;
  problem.rules.query_width_is_hidden = false;
  const auto found = nearest_within_tolerance(problem, [](const Candidate&) { return 0; });
  if (!found) return std::nullopt;
  return Relaxation{"query_width", "hidden", "free", *found};
}

}  // namespace

std::vector<Candidate> nearest_points(const MatchProblem& problem) {
  const DeclaredGrid grid(problem);
  for (int doublings = 0; doublings <= kMostDoublings; ++doublings) {
    Tolerance wider;
    Tolerance scale;
    for (const BudgetField& field : kBudgetFields) {
      wider.*field.tolerance = widened(problem.rules.tolerance.*field.tolerance, doublings);
      scale.*field.tolerance = widened(problem.rules.tolerance.*field.tolerance, 0);
    }
    Best best(Order(Objective::kScaled, grid.baseline(), scale, grid.reference()), problem.top);
    grid.visit_within(windows_within(wider, grid.baseline()),
                      [&](const Candidate& point) { return best.offer(point); });
    std::vector<Candidate> found = best.sorted(grid.baseline());
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<Relaxation> relaxations(const MatchProblem& problem) {
  std::vector<Relaxation> list;
  const auto keep = [&](std::optional<Relaxation> found) {
    if (found) list.push_back(std::move(*found));
  };
  for (const AxisField& field : kAxisFields) {
    if (field.value(dimensions_of(problem.baseline)) == 0) continue;  // not of this family
    keep(relaxed_bound(problem, field));
    keep(relaxed_step(problem, field));
  }
  keep(relaxed_ratio(problem, kFfnRatio));
  if (!problem.rules.query_width_is_hidden && dimensions_of(problem.baseline).heads) {
    keep(relaxed_ratio(problem, kQueryRatio));
  }
  keep(relaxed_query_width(problem));
  for (const BudgetField& field : kBudgetFields) keep(relaxed_tolerance(problem, field));
  return list;
}

}  // namespace smelt
