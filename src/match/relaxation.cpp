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

Order order_of(const MatchProblem& problem, const Grid& grid) {
  return {problem.objective, grid.baseline(), problem.rules.tolerance, grid.reference()};
}

/// The candidate within tolerance that has the smallest distance.
std::optional<Candidate> nearest_within_tolerance(const MatchProblem& problem,
                                                  const Distance& distance) {
  const Grid grid(problem);
  Best best(ByDistance{distance, order_of(problem, grid)}, 1);
  grid.visit_within(windows_within(problem.rules.tolerance, grid.baseline()),
                    [&](const Candidate& point) { return best.offer(point); });
  const std::vector<Candidate> found = best.sorted(grid.baseline());
  return found.empty() ? std::nullopt : std::optional(found.front());
}

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

bool any_within_tolerance(const MatchProblem& problem) {
  const Grid grid(problem);
  const Windows windows = windows_within(problem.rules.tolerance, grid.baseline());
  return !grid.visit_within(windows, [](const Candidate&) { return false; }).complete;
}

/// The step by which a tolerance is first widened where it is zero.
const Rational kLeastTolerance(1, 1000);

/// Tolerances are doubled until a point lies within; beyond this factor none ever will.
constexpr int kMostDoublings = 30;

Rational widened(const Rational& tolerance, int doublings) {
  return std::max(tolerance, kLeastTolerance) * Rational(std::int64_t{1} << doublings);
}

/// A tolerance in per cent, rounded up to two decimals so that it admits what it was read from.
std::string percent_rounded_up(Int128 distance, Count baseline) {
  const std::int64_t hundredths = ceil_div(distance * 10'000, baseline.value());
  return fmt::format("{}.{:02}%", hundredths / 100, hundredths % 100);
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
      return Relaxation{field.name, shortest(100 * original.to_double()) + "%",
                        percent_rounded_up(gap(*found), target), *found};
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
  if (field.axis == &Rules::num_experts) least = experts_per_token(problem.baseline);
  return {axis.lowest.value_or(least), axis.highest.value_or(to_any ? kUnbounded : own)};
}

/// Moves one bound of one axis outwards, the other axes and all shape rules unchanged.
std::optional<Relaxation> relaxed_bound(MatchProblem problem, const AxisField& field) {
  const Bounds bounds = bounds_of(problem, field);
  const auto beyond = [&](const Candidate& point) -> Rational {
    const std::int64_t value = field.value(point.dimensions);
    return std::max<std::int64_t>({0, value - bounds.highest, bounds.lowest - value});
  };
  Axis& axis = problem.rules.*field.axis;
  const std::int64_t least =
      field.axis == &Rules::num_experts ? experts_per_token(problem.baseline) : 1;
  const std::int64_t furthest =
      bounds.highest > kUnbounded / field.reach ? kUnbounded : bounds.highest * field.reach;
  axis = {least, furthest, axis.multiple_of, {}};
  const auto found = nearest_within_tolerance(problem, beyond);
  if (!found || beyond(*found) == Rational(0)) return std::nullopt;
  const std::int64_t value = field.value(found->dimensions);
  const bool above = value > bounds.highest;
  return Relaxation{fmt::format("{}/{}", field.name, above ? "max" : "min"),
                    std::to_string(above ? bounds.highest : bounds.lowest), std::to_string(value),
                    *found};
}

/// The coarsest finer step of one axis that admits a design.
std::optional<Relaxation> relaxed_step(MatchProblem problem, const AxisField& field) {
  Axis& axis = problem.rules.*field.axis;
  const std::int64_t original = axis.multiple_of;
  for (std::int64_t step = original / 2; axis.values.empty() && step >= 1; --step) {
    if (original % step != 0) continue;
    axis.multiple_of = step;
    if (const auto found = nearest_within_tolerance(problem, [](const Candidate&) { return 0; })) {
      return Relaxation{fmt::format("{}/multiple_of", field.name), std::to_string(original),
                        std::to_string(step), *found};
    }
  }
  return std::nullopt;
}

/// (F / H) / (F_0 / H_0).
Rational ffn_ratio(const Dimensions& design, const Dimensions& reference) {
  return Rational(design.ffn_width, design.hidden_size) *
         Rational(reference.hidden_size, reference.ffn_width);
}

std::optional<Relaxation> relaxed_ffn_ratio(MatchProblem problem) {
  const std::optional<Rational> lowest = std::exchange(problem.rules.ffn_ratio.lowest, {});
  const std::optional<Rational> highest = std::exchange(problem.rules.ffn_ratio.highest, {});
  if (!lowest && !highest) return std::nullopt;
  const Dimensions reference = dimensions_of(problem.baseline);
  const auto beyond = [&](const Candidate& point) {
    const Rational ratio = ffn_ratio(point.dimensions, reference);
    if (highest && ratio > *highest) return ratio - *highest;
    return lowest && ratio < *lowest ? *lowest - ratio : Rational(0);
  };
  const auto found = nearest_within_tolerance(problem, beyond);
  if (!found) return std::nullopt;
  const Rational ratio = ffn_ratio(found->dimensions, reference);
  const bool above = highest && ratio > *highest;
  const Int128 scaled = Int128{ratio.num()} * 10'000;
  const std::int64_t rounded =
      above ? ceil_div(scaled, ratio.den()) : floor_div(scaled, ratio.den());
  return Relaxation{above ? "ffn_ratio/max" : "ffn_ratio/min",
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
  const Grid grid(problem);
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
  keep(relaxed_ffn_ratio(problem));
  keep(relaxed_query_width(problem));
  for (const BudgetField& field : kBudgetFields) keep(relaxed_tolerance(problem, field));
  return list;
}

}  // namespace smelt
