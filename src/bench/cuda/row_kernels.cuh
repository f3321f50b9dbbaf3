#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "smelt/layer_shape.hpp"

namespace smelt::cuda {

/// Experts that one warp can choose from: 16 logits in the registers of each lane.
inline constexpr std::int64_t kMostExperts = 512;
inline constexpr std::int64_t kMostTopK = 32;
/// Of a document and a head in the attention core, which keeps them in a block.
inline constexpr std::int64_t kLongestDocument = 6000;
inline constexpr std::int64_t kMostHeadDim = 256;

/// The order of permuted rows on the device. Experts may own more rows than they use (`strided`);
/// what they do not use is marked by row_slot -1.
struct DeviceOrder {
  const std::int32_t* slot_row;
  const std::int32_t* row_slot;
};

/// What every kernel of this file is launched with. Rows are `rows` in permuted order, padding
/// included.
struct Launch {
  LayerShape shape;
  std::int64_t rows;
  cudaStream_t stream;
};

/// logits T x E to k experts a token, largest first, and their softmax.
void top_k_forward(const Launch& launch, const float* logits, std::int32_t* experts,
                   float* weights);
/// Whole rows of the logits' gradient.
template <typename T>
void top_k_backward(const Launch& launch, const std::int32_t* experts, const float* weights,
                    const float* weights_gradient, T* logits_gradient);

/// Rows of each expert, the first row of each (`row_stride` apart, or one after the other for 0),
/// and both directions of the order. Within an expert rows stand in no fixed order.
/// `cursor` is scratch memory of E integers.
void sort_slots(const Launch& launch, const std::int32_t* experts, std::int64_t row_stride,
                std::int32_t* expert_rows, std::int32_t* first_rows, std::int32_t* cursor,
                std::int32_t* slot_row, std::int32_t* row_slot);
template <typename T>
void permute_forward(const Launch& launch, DeviceOrder order, const T* input, T* permuted);
template <typename T>
void permute_backward(const Launch& launch, DeviceOrder order, const T* permuted_gradient,
                      const T* router_gradient, T* gradient);

template <typename T>
void swiglu_forward(const Launch& launch, const T* gate_up, T* activated);
template <typename T>
void swiglu_backward(const Launch& launch, const T* gate_up, const T* activated_gradient,
                     T* gate_up_gradient);

template <typename T>
void combine_forward(const Launch& launch, DeviceOrder order, const float* weights,
                     const T* expert_output, T* output);
/// Rows that belong to no slot get a gradient of 0.
template <typename T>
void combine_backward(const Launch& launch, DeviceOrder order, const float* weights,
                      const T* expert_output, const T* gradient, T* expert_output_gradient,
                      float* weights_gradient);

/// Causal attention within documents, one block a query and head: a reference, not a fused kernel.
/// `log_sums` (T x n_q) keeps each query's log of the sum of exponentials for the backward pass,
/// `means` (T x n_q) the products of outputs and their gradients.
template <typename T>
void attention_forward(const Launch& launch, const T* qkv, T* core, float* log_sums);
template <typename T>
void attention_backward(const Launch& launch, const T* qkv, const T* core, const T* core_gradient,
                        const float* log_sums, float* means, T* qkv_gradient);

}  // namespace smelt::cuda
