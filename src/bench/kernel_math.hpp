#pragma once

// Plain C++17: the arithmetic of single elements and the order of rows, shared by the CPU's and the
// GPU's kernels.

#include <cmath>
#include <cstdint>

#include "smelt/host_device.hpp"

namespace smelt {

/// sigma(x) = 1 / (1 + e^-x)
SMELT_HOST_DEVICE inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

/// SwiGLU: silu(gate) up, silu(x) = x sigma(x)
SMELT_HOST_DEVICE inline float swiglu(float gate, float up) { return gate * sigmoid(gate) * up; }

struct SwigluGradient {
  float gate;
  float up;
};
/// d silu(x) / dx = sigma (1 + x (1 - sigma))
SMELT_HOST_DEVICE inline SwigluGradient swiglu_gradient(float gate, float up, float gradient) {
  const float sigma = sigmoid(gate);
  return {gradient * up * sigma * (1.0f + gate * (1.0f - sigma)), gradient * gate * sigma};
}

/// Whether expert `index` with logit `value` is chosen before expert `other`: the larger logit, and
/// of equal ones the lower index, so that the choice is the same everywhere.
SMELT_HOST_DEVICE inline bool chosen_before(float value, std::int32_t index, float other_value,
                                            std::int32_t other) {
  return value > other_value || (value == other_value && index < other);
}

/// weights[j] = e^(logits[j] - max) / sum over the k chosen logits, largest first. In place where
/// both are the same.
SMELT_HOST_DEVICE inline void softmax_chosen(const float* logits, std::int64_t top_k,
                                             float* weights) {
  const float largest = logits[0];
  float sum = 0;
  for (std::int64_t j = 0; j < top_k; ++j) {
    weights[j] = expf(logits[j] - largest);
    sum += weights[j];
  }
  for (std::int64_t j = 0; j < top_k; ++j) weights[j] /= sum;
}

/// d loss / d logit_j = w_j (g_j - sum_i w_i g_i), of one token's k chosen logits.
SMELT_HOST_DEVICE inline float softmax_chosen_gradient(const float* weights, const float* gradient,
                                                       std::int64_t top_k, std::int64_t j) {
  float mean = 0;
  for (std::int64_t i = 0; i < top_k; ++i) mean += weights[i] * gradient[i];
  return weights[j] * (gradient[j] - mean);
}

/// offsets[e] = rows of the experts before e; returns all rows. `offsets` holds `experts` entries.
SMELT_HOST_DEVICE inline std::int32_t exclusive_sum(const std::int32_t* rows, std::int64_t experts,
                                                    std::int32_t* offsets) {
  std::int32_t total = 0;
  for (std::int64_t e = 0; e < experts; ++e) {
    offsets[e] = total;
    total += rows[e];
  }
  return total;
}

}  // namespace smelt
