#include <algorithm>

#include "bench/cpu/kernels.hpp"
#include "bench/kernel_math.hpp"

namespace smelt {

namespace {

/// Keeps experts[0 ... count) sorted, largest logit first, while one more is offered.
void offer(const float* logits, std::int32_t expert, std::int64_t top_k, std::int64_t& count,
           std::int32_t* experts) {
  const auto before = [&](std::int32_t a, std::int32_t b) {
    return chosen_before(logits[a], a, logits[b], b);
  };
  if (count == top_k && !before(expert, experts[count - 1])) return;
  std::int64_t place = count < top_k ? count++ : count - 1;
  for (; place > 0 && before(expert, experts[place - 1]); --place) {
    experts[place] = experts[place - 1];
  }
  experts[place] = expert;
}

}  // namespace

void top_k_forward(const LayerShape& shape, RowRange tokens, const float* logits,
                   std::int32_t* experts, float* weights) {
  for (std::int64_t t = tokens.begin; t < tokens.end; ++t) {
    const float* row = logits + t * shape.num_experts;
    std::int32_t* chosen = experts + t * shape.top_k;
    float* weight = weights + t * shape.top_k;
    std::int64_t count = 0;
    for (std::int32_t e = 0; e < shape.num_experts; ++e) {
      offer(row, e, shape.top_k, count, chosen);
    }
    for (std::int64_t j = 0; j < shape.top_k; ++j) weight[j] = row[chosen[j]];
    softmax_chosen(weight, shape.top_k, weight);
  }
}

void top_k_backward(const LayerShape& shape, RowRange tokens, const std::int32_t* experts,
                    const float* weights, const float* weights_gradient, float* logits_gradient) {
  for (std::int64_t t = tokens.begin; t < tokens.end; ++t) {
    float* row = logits_gradient + t * shape.num_experts;
    std::fill_n(row, shape.num_experts, 0.0f);
    const std::int64_t slot = t * shape.top_k;
    for (std::int64_t j = 0; j < shape.top_k; ++j) {
      row[experts[slot + j]] =
          softmax_chosen_gradient(weights + slot, weights_gradient + slot, shape.top_k, j);
    }
  }
}

}  // namespace smelt
