#include "search/time_ratio.hpp"

#include <cmath>
#include <utility>

#include "smelt/error.hpp"

namespace smelt {

namespace {

/// The time model lists the rows of every expert.
constexpr std::int64_t kMostExperts = 1'000'000;

/// Sums of the same layers in another order differ in their last bits: a ratio is whole in parts of
/// a billion, so that alike designs are alike.
constexpr double kParts = 1e9;

}  // namespace

TimeRatio::TimeRatio(Hardware device, std::int64_t tokens, MatchProblem problem)
    : device_(std::move(device)),
      problem_(std::make_shared<const MatchProblem>(std::move(problem))) {
  options_.tokens = tokens;
  baseline_s_ = seconds(problem_->baseline);
}

double TimeRatio::operator()(const Dimensions& dimensions) const {
  if (dimensions.num_experts > kMostExperts) {
    throw InputError("num_experts", "passes 1,000,000, too many to predict a time for",
                     "rules with a smaller max, or no device");
  }
  const double ratio = seconds(build_model(*problem_, dimensions)) / baseline_s_;
  return std::round(ratio * kParts) / kParts;
}

double TimeRatio::seconds(const Model& model) const {
  return predict_time(model, device_, options_).total_s;
}

}  // namespace smelt
