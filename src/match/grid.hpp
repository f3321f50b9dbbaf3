#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "match/axis_values.hpp"
#include "match/plane.hpp"
#include "match/window.hpp"
#include "smelt/match.hpp"

namespace smelt {

/// k of the problem's designs, 0 where no layer routes.
std::int64_t experts_per_token(const MatchProblem& problem);

/// Key-value geometries that the rules allow.
Count kv_geometries(const MatchProblem& problem);

/// The most geometries of one grid, and the most hidden sizes: each is looked at, if only to be
/// excluded.
inline constexpr std::int64_t kMostGeometries = 1'000'000;
inline constexpr std::int64_t kMostHiddenSizes = 1'000'000;

/// Consecutive designs within the windows that differ in E alone, at indices [first, last) of the
/// grid's experts.
struct Line {
  Dimensions dimensions;  ///< but for E
  Count kv_elements;
  LineCost cost;
  Count points_before;  ///< grid points of the same hidden size that stand before it
  std::int64_t first = 0;
  std::int64_t last = 0;

  /// The design with that E, its deviation not yet filled in.
  [[nodiscard]] Candidate at(std::int64_t experts) const {
    Candidate point{dimensions,
                    {static_cast<std::int64_t>(cost.flops(experts)),
                     static_cast<std::int64_t>(cost.params(experts)), kv_elements},
                    {}};
    point.dimensions.num_experts = experts;
    return point;
  }
};

/// The declared grid of a problem, walked completely by exact bounds.
class DeclaredGrid {
 public:
  /// Whether the walk goes on.
  using Visitor = std::function<bool(const Candidate&)>;
  /// Both say whether the walk goes on. A plane begins with the number of grid points of the same
  /// hidden size that stand before it.
  struct LineVisitor {
    std::function<bool(Count points_before)> begin_plane;
    std::function<bool(const Line&)> visit;
  };

  /// Checks the problem, which must outlive the grid; throws InputError as solve() does.
  explicit DeclaredGrid(const MatchProblem& problem);

  [[nodiscard]] const Budget& baseline() const { return baseline_; }
  /// The Baseline's own dimensions.
  [[nodiscard]] const Dimensions& reference() const { return reference_; }
  /// Visits every grid point whose budgets lie within the windows, deviations not yet filled in,
  /// until a visit ends the walk; the certificate is then not complete.
  Certificate visit_within(const Windows& windows, const Visitor& visit) const;

  [[nodiscard]] const AxisValues& hidden_sizes() const { return hidden_; }
  [[nodiscard]] const AxisValues& experts() const { return experts_; }
  /// The same for one hidden size, a line at a time, in the order of key-value geometry, query
  /// heads and F. Adds what it visits to grid_points, evaluated and excluded_by_kv, and clears
  /// `complete` when a visit ends the walk.
  void visit_hidden_size(std::int64_t index, const Windows& windows, const LineVisitor& visit,
                         Certificate& tally) const;

 private:
  /// A key-value geometry of the grid; it alone decides the KV budget.
  struct KvChoice {
    std::int64_t num_key_value_heads = 0;  ///< 0 with latent attention
    std::int64_t head_dim = 0;
    std::int64_t kv_lora_rank = 0;
    Count elements;
  };

  [[nodiscard]] std::vector<KvChoice> kv_choices() const;
  /// The dimensions at one hidden size, key-value geometry and number of query heads; E and F are
  /// the smallest of the grid.
  [[nodiscard]] Dimensions dimensions_at(std::int64_t hidden, const KvChoice& kv,
                                         std::int64_t heads) const;
  /// Calls visit(n_q) for every number of query heads that the rules allow, in increasing order.
  template <typename Visit>
  void for_each_head_count(std::int64_t hidden, const KvChoice& kv, Visit visit) const;
  [[nodiscard]] AxisValues ffn_values(std::int64_t hidden, std::int64_t most_flops) const;
  [[nodiscard]] Window ffn_by_ratio(std::int64_t hidden) const;
  [[nodiscard]] Plane plane_at(const Dimensions& at, Count kv_elements) const;
  /// Adds what it visits to the certificate.
  void visit_plane(const Plane& plane, const AxisValues& ffn, const Windows& windows,
                   const LineVisitor& visit, Certificate& tally) const;

  const MatchProblem& problem_;
  Model design_;  ///< the Baseline's layers in the design's depth and loop, yet to be resized
  Budget baseline_;
  Dimensions reference_;
  AxisValues hidden_;
  AxisValues experts_;
  std::vector<KvChoice> kv_;
};

}  // namespace smelt
