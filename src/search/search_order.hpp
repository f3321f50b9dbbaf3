#pragma once

#include "match/order.hpp"
#include "smelt/search.hpp"

namespace smelt {

/// The order of an objective over the designs of all stacks: that of the matcher, then the earlier
/// stack.
class SearchOrder {
 public:
  SearchOrder(const SearchSpace& space, const Budget& baseline)
      : order_(space.objective, baseline, space.rules.tolerance, dimensions_of(space.baseline)) {}

  /// Whether `a` is strictly better than `b`.
  [[nodiscard]] bool operator()(const SearchDesign& a, const SearchDesign& b) const {
    if (order_(a.candidate, b.candidate)) return true;
    return a.stack < b.stack && !order_(b.candidate, a.candidate);
  }

 private:
  Order order_;
};

}  // namespace smelt
