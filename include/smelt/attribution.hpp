#pragma once

#include <vector>

#include "smelt/component.hpp"
#include "smelt/convention.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// What one component adds to a deviation from a Baseline: the difference of the two components'
/// counts over the Baseline's whole budget.
struct ComponentDeviation {
  Component component = Component::kAttention;
  double flops = 0;   ///< of training FLOPs per token
  double params = 0;  ///< of non-embedding parameters
};

/// The components that differ, the largest |flops|, then |params|, first. The parts of each budget
/// add up to its deviation. Throws InputError as count_flops does.
std::vector<ComponentDeviation> attribute_deviation(const Model& candidate, const Model& baseline,
                                                    const Convention& convention);

}  // namespace smelt
