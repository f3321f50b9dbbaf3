#pragma once

#include <cstdint>

#include "bench/cpu/gemm.hpp"
#include "bench/layer_run.hpp"

namespace smelt {

/// Rows [begin, end) that one task works on: tokens or expert rows.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Where each row of the permuted order comes from and goes to.
struct RowOrder {
  const std::int32_t* slot_row;  ///< T k: permuted row of slot t k + j
  const std::int32_t* row_slot;  ///< R: slot of a permuted row; its token is slot / k
};

/// Chooses k experts a token, largest logit first, and their softmax.
void top_k_forward(const LayerShape& shape, RowRange tokens, const float* logits,
                   std::int32_t* experts, float* weights);
/// Writes whole rows of the logits' gradient: 0 but for the chosen experts.
void top_k_backward(const LayerShape& shape, RowRange tokens, const std::int32_t* experts,
                    const float* weights, const float* weights_gradient, float* logits_gradient);

/// Sorts the slots by expert, in slot order within one: rows per expert, their first rows, and both
/// directions of the order.
void sort_slots(const LayerShape& shape, const std::int32_t* experts, std::int32_t* rows,
                std::int32_t* first_rows, std::int32_t* slot_row, std::int32_t* row_slot);
/// permuted[row] = input[token of row]
void permute_forward(const LayerShape& shape, RowRange rows, const RowOrder& order,
                     const float* input, float* permuted);
/// gradient[t] = router_gradient[t] + sum over the k rows of t
void permute_backward(const LayerShape& shape, RowRange tokens, const RowOrder& order,
                      const float* permuted_gradient, const float* router_gradient,
                      float* gradient);

/// activated = silu(gate) up
void swiglu_forward(const LayerShape& shape, RowRange rows, const float* gate_up, float* activated);
void swiglu_backward(const LayerShape& shape, RowRange rows, const float* gate_up,
                     const float* activated_gradient, float* gate_up_gradient);

/// output[t] = sum over j of weights[t, j] expert_output[row of (t, j)]
void combine_forward(const LayerShape& shape, RowRange tokens, const RowOrder& order,
                     const float* weights, const float* expert_output, float* output);
/// Gradients of the expert outputs (the weighted gradient of the token) and of the weights (the dot
/// product with the expert's output).
void combine_backward(const LayerShape& shape, RowRange tokens, const RowOrder& order,
                      const float* weights, const float* expert_output, const float* gradient,
                      float* expert_output_gradient, float* weights_gradient);

/// Floats of scratch memory that a task of the attention core needs.
std::int64_t attention_scratch(const LayerShape& shape);
std::int64_t num_documents(const LayerShape& shape);
/// One query head of one document: softmax(Q K^T / sqrt(d)) V under the causal mask, in blocks of
/// 64 queries that stop at their last key.
void attention_forward(const LayerShape& shape, GemmLibrary library, std::int64_t document,
                       std::int64_t head, const float* qkv, float* core, float* scratch);
/// One key-value head of one document with all query heads that share it; scores are recomputed.
void attention_backward(const LayerShape& shape, GemmLibrary library, std::int64_t document,
                        std::int64_t kv_head, const float* qkv, const float* core,
                        const float* core_gradient, float* qkv_gradient, float* scratch);

}  // namespace smelt
