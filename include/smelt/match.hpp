#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/budget.hpp"
#include "smelt/convention.hpp"
#include "smelt/count.hpp"
#include "smelt/dimensions.hpp"
#include "smelt/loop.hpp"
#include "smelt/model.hpp"
#include "smelt/rules.hpp"

namespace smelt {

/// What makes one design within tolerance better than another. Ties go to the smaller sum of
/// |deviation|, then to the F / H nearest the Baseline's, the larger H, the smaller E, the smaller
/// F, the larger head size, the fewer key-value and query heads: the order is total. All
/// comparisons are exact.
enum class Objective {
  kMax,     ///< smallest largest |deviation|
  kSum,     ///< smallest sum of |deviation|
  kScaled,  ///< smallest largest |deviation| over its own tolerance
};
Objective parse_objective(std::string_view text, std::string_view where);
std::string_view objective_name(Objective objective);

/// Which looped design has the Baseline's three budgets?
struct MatchProblem {
  Model baseline;                                   ///< gives the budgets and the family's shape
  std::int64_t num_layers = 0;                      ///< L of the design
  std::optional<LoopSpan> loop;                     ///< of the design; absent: a plain stack
  std::optional<std::int64_t> num_experts_per_tok;  ///< k of the design; absent: the Baseline's
  Rules rules;            ///< the declared grid, the shape rules, the tolerances
  Convention convention;  ///< how FLOPs are counted
  Objective objective = Objective::kMax;
  std::int64_t top = 1;          ///< how many of the best designs to return, at least 1
  bool find_relaxations = true;  ///< where infeasible; they take far longer than all else
};

/// A point of the grid, costed.
struct Candidate {
  Dimensions dimensions;
  Budget budget;
  Deviation deviation;
};

/// What was looked at: every grid point is either evaluated or excluded by an exact bound, so
/// evaluated + excluded_by_kv + excluded_by_flops_or_params = grid_points.
struct Certificate {
  Count grid_points;
  Count evaluated;
  Count excluded_by_kv;  ///< their key-value geometry alone breaks the KV tolerance
  Count excluded_by_flops_or_params;
  Count feasible;
  bool complete = true;
};

/// The smallest change of one rule or tolerance that makes a match exist, all others unchanged.
struct Relaxation {
  std::string rule;  ///< its key in a rules file: "tolerance/kv", "ffn_ratio", "num_experts/max"
  std::string from;
  std::string to;
  Candidate candidate;  ///< the design that it admits
};

struct MatchResult {
  Budget baseline;
  Certificate certificate;
  /// The best designs within tolerance, best first; empty where there is none (infeasible).
  std::vector<Candidate> candidates;
  /// Where infeasible: the best grid points by Objective::kScaled, at most `top` of them. A
  /// tolerance of zero counts as 0.1 % in this order.
  std::vector<Candidate> nearest;
  std::vector<Relaxation> relaxations;  ///< where infeasible and asked for

  [[nodiscard]] bool feasible() const { return !candidates.empty(); }
};

/// Solves the problem completely: no grid point outside `candidates` is better than its last.
/// Throws InputError when the problem is no problem: a Baseline without attended keys, an empty
/// axis, another depth for a stack whose layers are not alike.
MatchResult solve(const MatchProblem& problem);

/// The model of a design: the Baseline's layer with the geometry put in, `num_layers` times,
/// looped.
Model build_model(const MatchProblem& problem, const Dimensions& dimensions);

}  // namespace smelt
