#include "bench/cuda/check.cuh"
#include "bench/cuda/device_math.cuh"
#include "bench/cuda/row_kernels.cuh"
#include "smelt/tiles.hpp"

namespace smelt::cuda {

namespace {

constexpr int kThreads = 128;

/// One block a row: copies it, or clears a row of no slot.
template <typename T>
__global__ void gather_kernel(std::int64_t hidden, std::int64_t top_k,
                              const std::int32_t* __restrict__ row_slot,
                              const T* __restrict__ input, T* __restrict__ permuted) {
  const std::int64_t row = blockIdx.x;
  const std::int32_t slot = row_slot[row];
  const std::int64_t packs = hidden / Pack<T>::kSize;
  for (std::int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    Pack<T> pack = {};
    if (slot >= 0) pack = pack_at(input, slot / top_k * packs + i);
    pack_at(permuted, row * packs + i) = pack;
  }
}

/// One block a token: the k rows' gradients and the router's, added in fp32 in slot order.
template <typename T>
__global__ void scatter_kernel(std::int64_t hidden, std::int64_t top_k,
                               const std::int32_t* __restrict__ slot_row,
                               const T* __restrict__ permuted_gradient,
                               const T* __restrict__ router_gradient, T* __restrict__ gradient) {
  const std::int64_t token = blockIdx.x;
  const std::int64_t packs = hidden / Pack<T>::kSize;
  for (std::int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    const Pack<T> router = pack_at(router_gradient, token * packs + i);
    float sum[Pack<T>::kSize];
#pragma unroll
    for (int e = 0; e < Pack<T>::kSize; ++e) sum[e] = to_float(router.values[e]);
    for (std::int64_t j = 0; j < top_k; ++j) {
      const std::int64_t row = slot_row[token * top_k + j];
      const Pack<T> part = pack_at(permuted_gradient, row * packs + i);
#pragma unroll
      for (int e = 0; e < Pack<T>::kSize; ++e) sum[e] += to_float(part.values[e]);
    }
    Pack<T> out;
#pragma unroll
    for (int e = 0; e < Pack<T>::kSize; ++e) out.values[e] = from_float<T>(sum[e]);
    pack_at(gradient, token * packs + i) = out;
  }
}

template <typename T>
__global__ void swiglu_kernel(std::int64_t packs, std::int64_t row_packs,
                              const T* __restrict__ gate_up, T* __restrict__ activated) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const std::int64_t gate_index = i / row_packs * 2 * row_packs + i % row_packs;
  const Pack<T> gate = pack_at(gate_up, gate_index);
  const Pack<T> up = pack_at(gate_up, gate_index + row_packs);
  Pack<T> out;
#pragma unroll
  for (int e = 0; e < Pack<T>::kSize; ++e) {
    out.values[e] = from_float<T>(swiglu(to_float(gate.values[e]), to_float(up.values[e])));
  }
  pack_at(activated, i) = out;
}

template <typename T>
__global__ void swiglu_gradient_kernel(std::int64_t packs, std::int64_t row_packs,
                                       const T* __restrict__ gate_up,
                                       const T* __restrict__ activated_gradient,
                                       T* __restrict__ gate_up_gradient) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const std::int64_t gate_index = i / row_packs * 2 * row_packs + i % row_packs;
  const Pack<T> gate = pack_at(gate_up, gate_index);
  const Pack<T> up = pack_at(gate_up, gate_index + row_packs);
  const Pack<T> gradient = pack_at(activated_gradient, i);
  Pack<T> gate_out, up_out;
#pragma unroll
  for (int e = 0; e < Pack<T>::kSize; ++e) {
    const SwigluGradient g = swiglu_gradient(to_float(gate.values[e]), to_float(up.values[e]),
                                             to_float(gradient.values[e]));
    gate_out.values[e] = from_float<T>(g.gate);
    up_out.values[e] = from_float<T>(g.up);
  }
  pack_at(gate_up_gradient, gate_index) = gate_out;
  pack_at(gate_up_gradient, gate_index + row_packs) = up_out;
}

template <typename T>
__global__ void combine_kernel(std::int64_t hidden, std::int64_t top_k,
                               const std::int32_t* __restrict__ slot_row,
                               const float* __restrict__ weights,
                               const T* __restrict__ expert_output, T* __restrict__ output) {
  const std::int64_t token = blockIdx.x;
  const std::int64_t packs = hidden / Pack<T>::kSize;
  for (std::int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    float sum[Pack<T>::kSize] = {};
    for (std::int64_t slot = token * top_k; slot < (token + 1) * top_k; ++slot) {
      const Pack<T> part = pack_at(expert_output, slot_row[slot] * packs + i);
#pragma unroll
      for (int e = 0; e < Pack<T>::kSize; ++e) sum[e] += weights[slot] * to_float(part.values[e]);
    }
    Pack<T> out;
#pragma unroll
    for (int e = 0; e < Pack<T>::kSize; ++e) out.values[e] = from_float<T>(sum[e]);
    pack_at(output, token * packs + i) = out;
  }
}

/// One block a row: its gradient, and the weight's as a dot product over the row.
template <typename T>
__global__ void combine_gradient_kernel(std::int64_t hidden, std::int64_t top_k,
                                        const std::int32_t* __restrict__ row_slot,
                                        const float* __restrict__ weights,
                                        const T* __restrict__ expert_output,
                                        const T* __restrict__ gradient,
                                        T* __restrict__ expert_output_gradient,
                                        float* __restrict__ weights_gradient) {
  __shared__ float scratch[kThreads / kWarp];
  const std::int64_t row = blockIdx.x;
  const std::int32_t slot = row_slot[row];
  const std::int64_t packs = hidden / Pack<T>::kSize;
  float dot = 0;
  for (std::int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    Pack<T> out = {};
    if (slot >= 0) {
      const Pack<T> g = pack_at(gradient, slot / top_k * packs + i);
      const Pack<T> y = pack_at(expert_output, row * packs + i);
#pragma unroll
      for (int e = 0; e < Pack<T>::kSize; ++e) {
        dot += to_float(g.values[e]) * to_float(y.values[e]);
        out.values[e] = from_float<T>(weights[slot] * to_float(g.values[e]));
      }
    }
    pack_at(expert_output_gradient, row * packs + i) = out;
  }
  dot = block_sum(dot, scratch);
  if (threadIdx.x == 0 && slot >= 0) weights_gradient[slot] = dot;
}

unsigned blocks_of(std::int64_t count) {
  return static_cast<unsigned>(ceil_ratio(count, kThreads));
}

}  // namespace

template <typename T>
void permute_forward(const Launch& l, DeviceOrder order, const T* input, T* permuted) {
  gather_kernel<<<static_cast<unsigned>(l.rows), kThreads, 0, l.stream>>>(
      l.shape.hidden_size, l.shape.top_k, order.row_slot, input, permuted);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void permute_backward(const Launch& l, DeviceOrder order, const T* permuted_gradient,
                      const T* router_gradient, T* gradient) {
  scatter_kernel<<<static_cast<unsigned>(l.shape.tokens), kThreads, 0, l.stream>>>(
      l.shape.hidden_size, l.shape.top_k, order.slot_row, permuted_gradient, router_gradient,
      gradient);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void swiglu_forward(const Launch& l, const T* gate_up, T* activated) {
  const std::int64_t row_packs = l.shape.expert_width / Pack<T>::kSize;
  swiglu_kernel<<<blocks_of(l.rows * row_packs), kThreads, 0, l.stream>>>(
      l.rows * row_packs, row_packs, gate_up, activated);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void swiglu_backward(const Launch& l, const T* gate_up, const T* activated_gradient,
                     T* gate_up_gradient) {
  const std::int64_t row_packs = l.shape.expert_width / Pack<T>::kSize;
  swiglu_gradient_kernel<<<blocks_of(l.rows * row_packs), kThreads, 0, l.stream>>>(
      l.rows * row_packs, row_packs, gate_up, activated_gradient, gate_up_gradient);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void combine_forward(const Launch& l, DeviceOrder order, const float* weights,
                     const T* expert_output, T* output) {
  combine_kernel<<<static_cast<unsigned>(l.shape.tokens), kThreads, 0, l.stream>>>(
      l.shape.hidden_size, l.shape.top_k, order.slot_row, weights, expert_output, output);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void combine_backward(const Launch& l, DeviceOrder order, const float* weights,
                      const T* expert_output, const T* gradient, T* expert_output_gradient,
                      float* weights_gradient) {
  combine_gradient_kernel<<<static_cast<unsigned>(l.rows), kThreads, 0, l.stream>>>(
      l.shape.hidden_size, l.shape.top_k, order.row_slot, weights, expert_output, gradient,
      expert_output_gradient, weights_gradient);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

#define SMELT_INSTANTIATE(T)                                                                       \
  template void permute_forward(const Launch&, DeviceOrder, const T*, T*);                         \
  template void permute_backward(const Launch&, DeviceOrder, const T*, const T*, T*);              \
  template void swiglu_forward(const Launch&, const T*, T*);                                       \
  template void swiglu_backward(const Launch&, const T*, const T*, T*);                            \
  template void combine_forward(const Launch&, DeviceOrder, const float*, const T*, T*);           \
  template void combine_backward(const Launch&, DeviceOrder, const float*, const T*, const T*, T*, \
                                 float*);
SMELT_INSTANTIATE(float)
SMELT_INSTANTIATE(__nv_bfloat16)
#undef SMELT_INSTANTIATE

}  // namespace smelt::cuda
