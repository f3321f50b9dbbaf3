#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "bench/kernel_math.hpp"

namespace smelt::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr int kWarp = 32;

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T>
__device__ T from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16(value);
}

/// 16 bytes of elements, moved as one.
template <typename T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / sizeof(T);
  T values[kSize];
};

template <typename T>
__device__ Pack<T>& pack_at(T* data, std::int64_t index) {
  return reinterpret_cast<Pack<T>*>(data)[index];
}
template <typename T>
__device__ const Pack<T>& pack_at(const T* data, std::int64_t index) {
  return reinterpret_cast<const Pack<T>*>(data)[index];
}

__device__ inline float warp_sum(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, offset);
  }
  return value;
}

__device__ inline float warp_max(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  }
  return value;
}

/// Sum over a block of whole warps, for all its threads; `scratch` holds one float a warp.
__device__ inline float block_sum(float value, float* scratch) {
  const int lane = threadIdx.x % kWarp;
  const int warp = threadIdx.x / kWarp;
  value = warp_sum(value);
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < static_cast<int>(blockDim.x) / kWarp; ++i) sum += scratch[i];
  __syncthreads();
  return sum;
}

__device__ inline float block_max(float value, float* scratch) {
  const int lane = threadIdx.x % kWarp;
  const int warp = threadIdx.x / kWarp;
  value = warp_max(value);
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  float most = scratch[0];
  for (int i = 1; i < static_cast<int>(blockDim.x) / kWarp; ++i) most = fmaxf(most, scratch[i]);
  __syncthreads();
  return most;
}

}  // namespace smelt::cuda
