#pragma once

#include <cstdint>
#include <vector>

#include "bench/layer_run.hpp"

namespace smelt {

/// Writes normal random numbers into every input, weights scaled by 1 / sqrt(fan in) so that every
/// activation is near unit size. Zeros or constants would run faster than real data on some chips.
void fill_inputs(LayerRun& run, const LayerShape& shape, std::uint64_t seed);

/// An assignment of slots, T x k, in which every token visits k different experts and expert e gets
/// rows[e] of them. The rows add up to T k and none passes T.
std::vector<std::int32_t> routing_with_rows(const std::vector<std::int64_t>& rows,
                                            std::int64_t tokens, std::int64_t top_k);

}  // namespace smelt
