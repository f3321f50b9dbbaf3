#pragma once

#include "bench/backend.hpp"
#include "smelt/bench.hpp"

namespace smelt {

/// The layer that stands for a model under the options. Throws InputError for a stack whose layers
/// differ, or without gated routed experts alone.
LayerShape bench_shape(const Model& model, const BenchOptions& options);

/// What each step of layer_steps() has to do.
std::vector<Operator> step_operators(const LayerShape& shape,
                                     const std::vector<std::int64_t>& expert_rows,
                                     std::int64_t element_bytes);

/// max(flops / peak, bytes / bandwidth), the bandwidth being that of the largest footprint that is
/// not above the operator's: what it moves may still lie in a cache.
double ideal_seconds(const Operator& op, const Ceilings& ceilings);

}  // namespace smelt
