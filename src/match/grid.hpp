#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "match/axis_values.hpp"
#include "smelt/match.hpp"

namespace smelt {

/// Inclusive bounds of one budget.
struct Window {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;

  [[nodiscard]] bool contains(Int128 value) const { return lowest <= value && value <= highest; }
};

struct Windows {
  Window flops;
  Window params;
  Window kv;
};

/// The counts whose deviation from `baseline` is at most the tolerance, exactly.
Windows windows_within(const Tolerance& tolerance, const Budget& baseline);

/// FLOPs and parameters of all designs with one hidden size and head geometry. Both are sums of
/// products of E and F, so four costed designs fix them exactly:
///   params(E, F) = params_0 + params_e E + params_f F + params_ef E F
///   flops(E, F)  = flops_0  + flops_e E  + flops_f F
struct PlaneCost {
  std::int64_t params_0 = 0;
  std::int64_t params_e = 0;
  std::int64_t params_f = 0;
  std::int64_t params_ef = 0;
  std::int64_t flops_0 = 0;
  std::int64_t flops_e = 0;
  std::int64_t flops_f = 0;

  [[nodiscard]] Int128 params(std::int64_t experts, std::int64_t ffn) const {
    return params_0 + Int128{params_e} * experts + (params_f + Int128{params_ef} * experts) * ffn;
  }
  [[nodiscard]] Int128 flops(std::int64_t experts, std::int64_t ffn) const {
    return flops_0 + Int128{flops_e} * experts + Int128{flops_f} * ffn;
  }
};

/// The declared grid of a problem, walked completely by exact bounds.
class Grid {
 public:
  using Visitor = std::function<void(const Candidate&)>;

  /// Checks the problem; throws InputError as solve() does.
  explicit Grid(const MatchProblem& problem);

  [[nodiscard]] const Budget& baseline() const { return baseline_; }
  /// F_0, the Baseline's expert width or FFN width.
  [[nodiscard]] std::int64_t baseline_ffn() const { return baseline_ffn_; }
  /// Visits every grid point whose budgets lie within the windows, deviations not yet filled in.
  Certificate visit_within(const Windows& windows, const Visitor& visit) const;

 private:
  /// All designs of one hidden size and head geometry.
  struct Plane {
    Geometry heads;
    PlaneCost cost;
    Count kv_elements;
  };

  /// A key-value geometry of the grid; it alone decides the KV budget.
  struct KvGeometry {
    std::int64_t num_heads;
    std::int64_t head_dim;
    Count elements;
  };

  [[nodiscard]] std::vector<KvGeometry> kv_geometries() const;
  /// Calls visit(n_q) for every number of query heads that the rules allow, in increasing order.
  template <typename Visit>
  void for_each_head_count(std::int64_t hidden, const KvGeometry& kv, Visit visit) const;
  [[nodiscard]] PlaneCost plane_cost(Geometry at) const;
  [[nodiscard]] AxisValues ffn_values(std::int64_t hidden, std::int64_t most_flops) const;
  [[nodiscard]] std::int64_t flops_per_ffn(std::int64_t hidden) const;
  [[nodiscard]] Window ffn_by_ratio(std::int64_t hidden) const;
  Count visit_plane(const Plane& plane, const AxisValues& ffn, const Windows& windows,
                    const Visitor& visit) const;

  const MatchProblem& problem_;
  Budget baseline_;
  std::int64_t baseline_ffn_ = 0;
  std::int64_t ffn_unit_ = 1;  ///< F is a multiple of it, so that shared widths stay whole
  AxisValues hidden_;
  AxisValues experts_;
  AxisValues head_dim_;
  AxisValues kv_heads_;
  std::vector<KvGeometry> kv_;
};

}  // namespace smelt
