#pragma once

#include <string_view>
#include <vector>

#include "smelt/json_value.hpp"
#include "smelt/search.hpp"

namespace smelt {

JsonValue counts_value(const SearchCounts& counts);

/// The metrics that the space states the figures for.
JsonValue metrics_value(const SearchSpace& space, const MetricValues& values);

/// Where a design stands in its space and its dimensions.
JsonValue place_value(const SearchDesign& design);

/// A design from its place_value, costed again.
SearchDesign read_design(const SearchSpace& space, const std::vector<Stack>& stacks,
                         std::string_view line);

}  // namespace smelt
