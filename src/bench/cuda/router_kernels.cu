#include <cfloat>
#include <climits>
#include <cmath>

#include "bench/cuda/check.cuh"
#include "bench/cuda/device_math.cuh"
#include "bench/cuda/row_kernels.cuh"
#include "smelt/tiles.hpp"

namespace smelt::cuda {

namespace {

constexpr int kWarpsOfBlock = 4;
constexpr int kLogitsOfLane = static_cast<int>(kMostExperts) / kWarp;

/// One warp a token; lane l holds the logits of experts l, l + 32, ... in registers. Logits that
/// are no number count as the least one, so that k different experts are chosen whatever they are.
__global__ void top_k_kernel(std::int64_t tokens, int experts, int top_k,
                             const float* __restrict__ logits, std::int32_t* __restrict__ chosen,
                             float* __restrict__ weights) {
  const std::int64_t token =
      static_cast<std::int64_t>(blockIdx.x) * kWarpsOfBlock + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (token >= tokens) return;
  float value[kLogitsOfLane];
#pragma unroll
  for (int i = 0; i < kLogitsOfLane; ++i) {
    const int expert = i * kWarp + lane;
    value[i] = expert < experts ? fmaxf(logits[token * experts + expert], -FLT_MAX) : -INFINITY;
  }
  float my_logit = -INFINITY;  // of the choice that this lane writes
  std::int32_t my_expert = 0;
  float largest = 0;
  for (int j = 0; j < top_k; ++j) {
    float best = -INFINITY;
    std::int32_t best_expert = INT_MAX;
#pragma unroll
    for (int i = 0; i < kLogitsOfLane; ++i) {
      const std::int32_t expert = i * kWarp + lane;
      if (expert < experts && chosen_before(value[i], expert, best, best_expert)) {
        best = value[i];
        best_expert = expert;
      }
    }
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
      const float other = __shfl_xor_sync(kAllLanes, best, offset);
      const std::int32_t other_expert = __shfl_xor_sync(kAllLanes, best_expert, offset);
      if (chosen_before(other, other_expert, best, best_expert)) {
        best = other;
        best_expert = other_expert;
      }
    }
    if (j == 0) largest = best;
    if (lane == j) {
      my_logit = best;
      my_expert = best_expert;
    }
#pragma unroll
    for (int i = 0; i < kLogitsOfLane; ++i) {
      if (i * kWarp + lane == best_expert) value[i] = -INFINITY;
    }
  }
  const float exponential = lane < top_k ? expf(my_logit - largest) : 0.0f;
  const float sum = warp_sum(exponential);
  if (lane < top_k) {
    chosen[token * top_k + lane] = my_expert;
    weights[token * top_k + lane] = exponential / sum;
  }
}

template <typename T>
__global__ void top_k_gradient_kernel(std::int64_t tokens, int experts, int top_k,
                                      const std::int32_t* __restrict__ chosen,
                                      const float* __restrict__ weights,
                                      const float* __restrict__ weights_gradient,
                                      T* __restrict__ logits_gradient) {
  const std::int64_t token =
      static_cast<std::int64_t>(blockIdx.x) * kWarpsOfBlock + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (token >= tokens) return;
  const std::int64_t slot = token * top_k;
  for (int expert = lane; expert < experts; expert += kWarp) {
    float gradient = 0;
    for (int j = 0; j < top_k; ++j) {
      if (chosen[slot + j] == expert) {
        gradient = softmax_chosen_gradient(weights + slot, weights_gradient + slot, top_k, j);
      }
    }
    logits_gradient[token * experts + expert] = from_float<T>(gradient);
  }
}

__global__ void count_kernel(std::int64_t slots, const std::int32_t* __restrict__ experts,
                             std::int32_t* __restrict__ rows) {
  const std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (slot < slots) atomicAdd(&rows[experts[slot]], 1);
}

/// One block of at least one thread an expert.
__global__ void first_rows_kernel(std::int64_t experts, std::int64_t row_stride,
                                  const std::int32_t* __restrict__ rows,
                                  std::int32_t* __restrict__ first_rows,
                                  std::int32_t* __restrict__ cursor) {
  __shared__ std::int32_t counts[kMostExperts];
  const std::int64_t e = threadIdx.x;
  if (e < experts) {
    counts[e] = rows[e];
    cursor[e] = 0;
    if (row_stride > 0) first_rows[e] = static_cast<std::int32_t>(e * row_stride);
  }
  __syncthreads();
  if (e == 0 && row_stride == 0) exclusive_sum(counts, experts, first_rows);
}

__global__ void place_kernel(std::int64_t slots, const std::int32_t* __restrict__ experts,
                             const std::int32_t* __restrict__ first_rows,
                             std::int32_t* __restrict__ cursor, std::int32_t* __restrict__ slot_row,
                             std::int32_t* __restrict__ row_slot) {
  const std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (slot >= slots) return;
  const std::int32_t expert = experts[slot];
  const std::int32_t row = first_rows[expert] + atomicAdd(&cursor[expert], 1);
  slot_row[slot] = row;
  row_slot[row] = static_cast<std::int32_t>(slot);
}

unsigned token_blocks(const LayerShape& shape) {
  return static_cast<unsigned>(ceil_ratio(shape.tokens, kWarpsOfBlock));
}

}  // namespace

void top_k_forward(const Launch& launch, const float* logits, std::int32_t* experts,
                   float* weights) {
  const LayerShape& s = launch.shape;
  top_k_kernel<<<token_blocks(s), kWarpsOfBlock * kWarp, 0, launch.stream>>>(
      s.tokens, static_cast<int>(s.num_experts), static_cast<int>(s.top_k), logits, experts,
      weights);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void top_k_backward(const Launch& launch, const std::int32_t* experts, const float* weights,
                    const float* weights_gradient, T* logits_gradient) {
  const LayerShape& s = launch.shape;
  top_k_gradient_kernel<<<token_blocks(s), kWarpsOfBlock * kWarp, 0, launch.stream>>>(
      s.tokens, static_cast<int>(s.num_experts), static_cast<int>(s.top_k), experts, weights,
      weights_gradient, logits_gradient);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

void sort_slots(const Launch& launch, const std::int32_t* experts, std::int64_t row_stride,
                std::int32_t* expert_rows, std::int32_t* first_rows, std::int32_t* cursor,
                std::int32_t* slot_row, std::int32_t* row_slot) {
  constexpr int kThreads = 256;
  const LayerShape& s = launch.shape;
  const auto blocks = static_cast<unsigned>(ceil_ratio(s.slots(), kThreads));
  SMELT_CUDA_CHECK(cudaMemsetAsync(expert_rows, 0,
                                   static_cast<std::size_t>(s.num_experts) * sizeof(std::int32_t),
                                   launch.stream));
  // All bytes 0xff: -1, a row of no slot.
  SMELT_CUDA_CHECK(cudaMemsetAsync(
      row_slot, 0xff, static_cast<std::size_t>(launch.rows) * sizeof(std::int32_t), launch.stream));
  count_kernel<<<blocks, kThreads, 0, launch.stream>>>(s.slots(), experts, expert_rows);
  SMELT_CUDA_CHECK(cudaGetLastError());
  first_rows_kernel<<<1, kMostExperts, 0, launch.stream>>>(s.num_experts, row_stride, expert_rows,
                                                           first_rows, cursor);
  SMELT_CUDA_CHECK(cudaGetLastError());
  place_kernel<<<blocks, kThreads, 0, launch.stream>>>(s.slots(), experts, first_rows, cursor,
                                                       slot_row, row_slot);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template void top_k_backward(const Launch&, const std::int32_t*, const float*, const float*,
                             float*);
template void top_k_backward(const Launch&, const std::int32_t*, const float*, const float*,
                             __nv_bfloat16*);

}  // namespace smelt::cuda
