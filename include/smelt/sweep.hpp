#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/compare_report.hpp"
#include "smelt/match.hpp"

namespace smelt {

/// What a sweep changes from row to row; all else stays as the problem and its loop say.
enum class SweepAxis {
  kSpan,      ///< m, looped layers, the middle ones: floor((L - m) / 2) stand before them
  kDepth,     ///< L; the loop keeps its share of the layers, in the middle
  kVisits,    ///< r
  kPosition,  ///< the first looped layer, counted from 1
  kExperts,   ///< E of the design
};
/// Throws InputError at `where`.
SweepAxis parse_sweep_axis(std::string_view text, std::string_view where);
/// "span", "depth", "visits", "position" or "experts".
std::string_view sweep_axis_name(SweepAxis axis);

/// One matched design for each value of an axis.
struct SweepRequest {
  MatchProblem problem;  ///< with a loop; `top` is not used
  SweepAxis axis = SweepAxis::kSpan;
  std::vector<std::int64_t> values;
  std::vector<std::optional<double>> losses;  ///< of each value; empty where none are known
  std::optional<Control> control;             ///< as report_match takes it
};

/// The best design at a value, or the nearest where none is within tolerance.
struct SweepRow {
  std::int64_t value = 0;
  bool feasible = false;
  CompareRow design;
  std::int64_t effective_layers = 0;
  std::optional<double> loss;
  bool lowest_loss = false;  ///< none of the sweep is lower

  /// Effective layers over hidden size.
  [[nodiscard]] double effective_depth_to_width() const {
    return static_cast<double>(effective_layers) / static_cast<double>(design.model.hidden_size);
  }
};

struct SweepResult {
  SweepAxis axis = SweepAxis::kSpan;
  CompareRow baseline;
  Rules rules;
  Convention convention;
  Objective objective = Objective::kMax;
  std::vector<SweepRow> rows;

  [[nodiscard]] bool all_feasible() const;
};

/// The problem at one value. Throws InputError, the axis as its place, for a value that the stack
/// does not have.
MatchProblem problem_at(const MatchProblem& problem, SweepAxis axis, std::int64_t value);

/// Solves every value completely, as solve() does. Throws InputError as it and problem_at do.
SweepResult sweep(const SweepRequest& request);

}  // namespace smelt
