#pragma once

#include <cstdint>
#include <vector>

#include "smelt/rules.hpp"

namespace smelt {

/// The values of one axis in increasing order, by index: a list, or the multiples of a step.
class AxisValues {
 public:
  /// `lowest` and `highest` stand in for bounds that the axis leaves out.
  AxisValues(const Axis& axis, std::int64_t lowest, std::int64_t highest);

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t at(std::int64_t index) const {
    return list_.empty() ? first_ + index * step_ : list_[static_cast<std::size_t>(index)];
  }
  /// The index of the first value that is not below `bound`, from 0 to size().
  [[nodiscard]] std::int64_t first_not_below(std::int64_t bound) const;
  /// The index after the last value that is not above `bound`, from 0 to size().
  [[nodiscard]] std::int64_t after_last_not_above(std::int64_t bound) const;

 private:
  std::vector<std::int64_t> list_;
  std::int64_t first_ = 0;
  std::int64_t step_ = 1;
  std::int64_t size_ = 0;
};

}  // namespace smelt
