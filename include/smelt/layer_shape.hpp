#pragma once

// Plain C++17, so that CUDA sources may include it.

#include <cstdint>

#include "smelt/host_device.hpp"

namespace smelt {

/// One transformer layer as it is timed: an attention and a MoE sublayer, each on an input of its
/// own, without norms. Gated experts.
struct LayerShape {
  std::int64_t tokens = 0;               ///< T
  std::int64_t hidden_size = 0;          ///< H
  std::int64_t num_heads = 0;            ///< n_q
  std::int64_t num_key_value_heads = 0;  ///< n_kv
  std::int64_t head_dim = 0;             ///< d
  std::int64_t document = 0;             ///< tokens of a document; the last one may be shorter
  std::int64_t num_experts = 0;          ///< E
  std::int64_t top_k = 0;                ///< k
  std::int64_t expert_width = 0;         ///< F

  SMELT_HOST_DEVICE std::int64_t query_width() const { return num_heads * head_dim; }
  SMELT_HOST_DEVICE std::int64_t kv_width() const { return num_key_value_heads * head_dim; }
  SMELT_HOST_DEVICE std::int64_t qkv_width() const { return query_width() + 2 * kv_width(); }
  SMELT_HOST_DEVICE std::int64_t slots() const { return tokens * top_k; }
};

}  // namespace smelt
