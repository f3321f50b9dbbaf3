#pragma once

#include <array>
#include <cstdint>

#include "smelt/match.hpp"

namespace smelt {

/// The total order of an objective over costed grid points, decided exactly: by doubles where
/// they lie further apart than their rounding, else by integers.
class Order {
 public:
  /// `reference` holds the Baseline's own dimensions.
  Order(Objective objective, const Budget& baseline, const Tolerance& tolerance,
        const Dimensions& reference);

  /// Whether `a` is strictly better than `b`.
  [[nodiscard]] bool operator()(const Candidate& a, const Candidate& b) const;

 private:
  /// |deviation| of each budget as exact fractions numerator / baselines_[i].
  using Distances = std::array<std::int64_t, 3>;

  [[nodiscard]] Distances distances(const Budget& budget) const;
  [[nodiscard]] int compare_scaled_max(const Distances& a, const Distances& b) const;
  [[nodiscard]] int compare_sum(const Distances& a, const Distances& b) const;
  [[nodiscard]] int compare_ffn_ratio(const Dimensions& a, const Dimensions& b) const;

  Objective objective_;
  std::array<std::int64_t, 3> baselines_;
  /// What a budget's |deviation| is divided by before the largest is taken: 1, or its tolerance.
  std::array<Rational, 3> scales_;
  std::array<double, 3> per_baseline_{};  ///< 1 / baselines_[i]
  std::array<double, 3> per_scale_{};     ///< 1 / (baselines_[i] scales_[i])
  std::int64_t reference_hidden_;
  std::int64_t reference_ffn_;
};

}  // namespace smelt
