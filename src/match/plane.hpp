#pragma once

#include <cstdint>
#include <optional>

#include "match/window.hpp"
#include "smelt/match.hpp"

namespace smelt {

/// FLOPs and parameters of all designs that differ in E alone: both grow by a fixed step.
struct LineCost {
  Int128 flops_0 = 0;  ///< at E = 0
  Int128 flops_e = 0;
  Int128 params_0 = 0;
  Int128 params_e = 0;

  [[nodiscard]] Int128 flops(std::int64_t experts) const { return flops_0 + flops_e * experts; }
  [[nodiscard]] Int128 params(std::int64_t experts) const { return params_0 + params_e * experts; }
  /// The E within both windows.
  [[nodiscard]] Window experts_within(const Windows& windows) const {
    return intersection(solve_linear(flops_0, flops_e, windows.flops),
                        solve_linear(params_0, params_e, windows.params));
  }
};

/// All designs of one hidden size and head geometry: E and F are left.
class Plane {
 public:
  /// `design` is resized to `at` for each E and F looked at; it must outlive the plane.
  Plane(const Model& design, const Convention& convention, const Dimensions& at, Count kv_elements);

  [[nodiscard]] const Dimensions& dimensions() const { return at_; }
  [[nodiscard]] Count kv_elements() const { return kv_elements_; }
  [[nodiscard]] LineCost at_ffn(std::int64_t ffn) const;

 private:
  [[nodiscard]] LineCost costed(std::int64_t ffn) const;

  const Model& design_;
  const Convention& convention_;
  Dimensions at_;
  Count kv_elements_;
  /// Where every width is a whole multiple of F, counts are linear in F too, so the lines at F = 1
  /// and F = 2 give all others.
  std::optional<LineCost> at_one_;
  LineCost per_ffn_;
};

}  // namespace smelt
