#pragma once

#include <cstddef>
#include <vector>

#include "infer/fit.hpp"

namespace smelt {

/// A condition and the families that it is about.
struct FamilyCondition {
  std::vector<std::size_t> families;
  Condition condition;
};

/// What the listed figures ask of the geometries.
std::vector<FamilyCondition> conditions_of(const FitTable& table,
                                           const std::vector<FigureId>& figures);

}  // namespace smelt
