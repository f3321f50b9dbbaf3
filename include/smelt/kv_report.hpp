#pragma once

#include <cstdint>

#include "smelt/kv_cache.hpp"

namespace smelt {

/// The KV cache of a model at one context length.
struct KvAtContext {
  std::int64_t context = 0;  ///< tokens per sequence
  std::int64_t batch = 1;    ///< sequences
  Count needed_bytes;        ///< the least that attention needs: windows keep only their tokens
  Count reserved_bytes;      ///< an engine that reserves the full context in every layer
};

KvAtContext kv_at_context(const Model& model, std::int64_t context, std::int64_t batch,
                          KvDtype dtype);

}  // namespace smelt
