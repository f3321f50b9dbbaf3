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

/// k of the first layer that routes, 0 where none does.
std::int64_t experts_per_token(const Model& model);

/// The declared grid of a problem, walked completely by exact bounds.
class Grid {
 public:
  /// Whether the walk goes on.
  using Visitor = std::function<bool(const Candidate&)>;

  /// Checks the problem, which must outlive the grid; throws InputError as solve() does.
  explicit Grid(const MatchProblem& problem);

  [[nodiscard]] const Budget& baseline() const { return baseline_; }
  /// The Baseline's own dimensions.
  [[nodiscard]] const Dimensions& reference() const { return reference_; }
  /// Visits every grid point whose budgets lie within the windows, deviations not yet filled in,
  /// until a visit ends the walk; the certificate is then not complete.
  Certificate visit_within(const Windows& windows, const Visitor& visit) const;

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
                   const Visitor& visit, Certificate& tally) const;

  const MatchProblem& problem_;
  Model design_;  ///< the Baseline's layers in the design's depth and loop, yet to be resized
  Budget baseline_;
  Dimensions reference_;
  AxisValues hidden_;
  AxisValues experts_;
  std::vector<KvChoice> kv_;
};

}  // namespace smelt
