#pragma once

#include <memory>

#include "smelt/hardware.hpp"
#include "smelt/match.hpp"
#include "smelt/time.hpp"

namespace smelt {

/// Predicted time of a training step of a problem's designs over its Baseline's: bf16, tokens
/// routed evenly.
class TimeRatio {
 public:
  /// Throws InputError for what predict_time refuses.
  TimeRatio(Hardware device, std::int64_t tokens, MatchProblem problem);

  /// Throws InputError for more than a million experts.
  double operator()(const Dimensions& dimensions) const;

 private:
  [[nodiscard]] double seconds(const Model& model) const;

  Hardware device_;
  TimeOptions options_;
  std::shared_ptr<const MatchProblem> problem_;  ///< shared by copies
  double baseline_s_ = 0;
};

}  // namespace smelt
