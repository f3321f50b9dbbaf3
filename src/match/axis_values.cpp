#include "match/axis_values.hpp"

#include <algorithm>
#include <cassert>

#include "smelt/rational.hpp"

namespace smelt {

AxisValues::AxisValues(const Axis& axis, std::int64_t lowest, std::int64_t highest)
    : list_(axis.values), step_(axis.multiple_of) {
  assert(step_ > 0);
  if (!list_.empty()) {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    size_ = static_cast<std::int64_t>(list_.size());
    return;
  }
  const std::int64_t from = ceil_div(axis.lowest.value_or(lowest), step_);
  const std::int64_t to = floor_div(axis.highest.value_or(highest), step_);
  first_ = from * step_;
  size_ = std::max<std::int64_t>(0, to - from + 1);
}

std::int64_t AxisValues::first_not_below(std::int64_t bound) const {
  if (!list_.empty()) {
    return std::lower_bound(list_.begin(), list_.end(), bound) - list_.begin();
  }
  if (size_ == 0 || bound <= first_) return 0;
  return std::min(size_, ceil_div(Int128{bound} - first_, step_));
}

std::int64_t AxisValues::after_last_not_above(std::int64_t bound) const {
  if (!list_.empty()) {
    return std::upper_bound(list_.begin(), list_.end(), bound) - list_.begin();
  }
  if (size_ == 0 || bound < first_) return 0;
  return std::min(size_ - 1, floor_div(Int128{bound} - first_, step_)) + 1;
}

}  // namespace smelt
