#include <cmath>

#include "bench/cuda/check.cuh"
#include "bench/cuda/device_math.cuh"
#include "bench/cuda/row_kernels.cuh"

namespace smelt::cuda {

namespace {

constexpr int kThreads = 256;
static_assert(kThreads >= kMostHeadDim, "one thread an element of a head");

/// Offsets of one head's rows in qkv.
struct HeadView {
  std::int64_t stride, q, k, v;

  __device__ HeadView(const LayerShape& s, std::int64_t head) : stride(s.qkv_width()) {
    const std::int64_t kv_head = head * s.num_key_value_heads / s.num_heads;
    q = head * s.head_dim;
    k = s.query_width() + kv_head * s.head_dim;
    v = k + s.kv_width();
  }
};

template <typename A, typename B>
__device__ float dot(const A* a, const B* b, std::int64_t size) {
  float sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += to_float(a[i]) * to_float(b[i]);
  return sum;
}

__device__ float score_scale(const LayerShape& s) { return rsqrtf(static_cast<float>(s.head_dim)); }

__device__ std::int64_t first_token(const LayerShape& s, std::int64_t token) {
  return token / s.document * s.document;
}

/// Block (query, head): scores in shared memory, then the output element by element.
template <typename T>
__global__ void forward_kernel(LayerShape s, const T* __restrict__ qkv, T* __restrict__ core,
                               float* __restrict__ log_sums) {
  extern __shared__ float scores[];
  __shared__ float scratch[kThreads / kWarp];
  const std::int64_t t = blockIdx.x, head = blockIdx.y;
  const HeadView view(s, head);
  const std::int64_t first = first_token(s, t);
  const std::int64_t keys = t - first + 1;
  float most = -INFINITY;
  for (std::int64_t i = threadIdx.x; i < keys; i += blockDim.x) {
    scores[i] = score_scale(s) * dot(qkv + t * view.stride + view.q,
                                     qkv + (first + i) * view.stride + view.k, s.head_dim);
    most = fmaxf(most, scores[i]);
  }
  most = block_max(most, scratch);
  float sum = 0;
  for (std::int64_t i = threadIdx.x; i < keys; i += blockDim.x) {
    scores[i] = expf(scores[i] - most);
    sum += scores[i];
  }
  sum = block_sum(sum, scratch);
  for (std::int64_t c = threadIdx.x; c < s.head_dim; c += blockDim.x) {
    float out = 0;
    for (std::int64_t i = 0; i < keys; ++i) {
      out += scores[i] * to_float(qkv[(first + i) * view.stride + view.v + c]);
    }
    core[t * s.query_width() + view.q + c] = from_float<T>(out / sum);
  }
  if (threadIdx.x == 0) log_sums[t * s.num_heads + head] = most + logf(sum);
}

/// Block (query, head): dQ = dS K with dS = P (dP - sum(dO O)) scale.
template <typename T>
__global__ void query_gradient_kernel(LayerShape s, const T* __restrict__ qkv,
                                      const T* __restrict__ core,
                                      const T* __restrict__ core_gradient,
                                      const float* __restrict__ log_sums, float* __restrict__ means,
                                      T* __restrict__ qkv_gradient) {
  extern __shared__ float scores_gradient[];
  const std::int64_t t = blockIdx.x, head = blockIdx.y;
  const HeadView view(s, head);
  const std::int64_t first = first_token(s, t);
  const std::int64_t keys = t - first + 1;
  const T* out_gradient = core_gradient + t * s.query_width() + view.q;
  const float mean = dot(core + t * s.query_width() + view.q, out_gradient, s.head_dim);
  if (threadIdx.x == 0) means[t * s.num_heads + head] = mean;
  const float log_sum = log_sums[t * s.num_heads + head];
  for (std::int64_t i = threadIdx.x; i < keys; i += blockDim.x) {
    const T* row = qkv + (first + i) * view.stride;
    const float score =
        score_scale(s) * dot(qkv + t * view.stride + view.q, row + view.k, s.head_dim);
    const float p = expf(score - log_sum);
    scores_gradient[i] = p * (dot(out_gradient, row + view.v, s.head_dim) - mean) * score_scale(s);
  }
  __syncthreads();
  for (std::int64_t c = threadIdx.x; c < s.head_dim; c += blockDim.x) {
    float sum = 0;
    for (std::int64_t i = 0; i < keys; ++i) {
      sum += scores_gradient[i] * to_float(qkv[(first + i) * view.stride + view.k + c]);
    }
    qkv_gradient[t * view.stride + view.q + c] = from_float<T>(sum);
  }
}

/// Block (key, key-value head): dK = dS^T Q and dV = P^T dO over the later queries of all heads
/// that share the key, two arrays of the document's length in shared memory.
template <typename T>
__global__ void key_gradient_kernel(LayerShape s, const T* __restrict__ qkv,
                                    const T* __restrict__ core_gradient,
                                    const float* __restrict__ log_sums,
                                    const float* __restrict__ means, T* __restrict__ qkv_gradient) {
  extern __shared__ float shared[];
  float* probabilities = shared;
  float* scores_gradient = shared + s.document;
  const std::int64_t key = blockIdx.x, kv_head = blockIdx.y;
  const std::int64_t last = min(first_token(s, key) + s.document, s.tokens);
  const std::int64_t sharing = s.num_heads / s.num_key_value_heads;
  const HeadView own(s, kv_head * sharing);
  const T* key_row = qkv + key * own.stride;
  // One element of the head a thread; head_dim is at most the block.
  float key_sum = 0, value_sum = 0;
  for (std::int64_t head = kv_head * sharing; head < (kv_head + 1) * sharing; ++head) {
    const HeadView view(s, head);
    for (std::int64_t t = key + threadIdx.x; t < last; t += blockDim.x) {
      const T* query = qkv + t * view.stride + view.q;
      const float score = score_scale(s) * dot(query, key_row + view.k, s.head_dim);
      const float p = expf(score - log_sums[t * s.num_heads + head]);
      const float dp =
          dot(core_gradient + t * s.query_width() + view.q, key_row + view.v, s.head_dim);
      probabilities[t - key] = p;
      scores_gradient[t - key] = p * (dp - means[t * s.num_heads + head]) * score_scale(s);
    }
    __syncthreads();
    const std::int64_t c = threadIdx.x;
    if (c < s.head_dim) {
      for (std::int64_t t = key; t < last; ++t) {
        key_sum += scores_gradient[t - key] * to_float(qkv[t * view.stride + view.q + c]);
        value_sum +=
            probabilities[t - key] * to_float(core_gradient[t * s.query_width() + view.q + c]);
      }
    }
    __syncthreads();
  }
  const std::int64_t c = threadIdx.x;
  if (c < s.head_dim) {
    qkv_gradient[key * own.stride + own.k + c] = from_float<T>(key_sum);
    qkv_gradient[key * own.stride + own.v + c] = from_float<T>(value_sum);
  }
}

dim3 grid(const LayerShape& s, std::int64_t heads) {
  return dim3(static_cast<unsigned>(s.tokens), static_cast<unsigned>(heads));
}

}  // namespace

template <typename T>
void attention_forward(const Launch& l, const T* qkv, T* core, float* log_sums) {
  const auto shared = static_cast<std::size_t>(l.shape.document) * sizeof(float);
  forward_kernel<<<grid(l.shape, l.shape.num_heads), kThreads, shared, l.stream>>>(l.shape, qkv,
                                                                                   core, log_sums);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

template <typename T>
void attention_backward(const Launch& l, const T* qkv, const T* core, const T* core_gradient,
                        const float* log_sums, float* means, T* qkv_gradient) {
  const LayerShape& s = l.shape;
  const auto shared = static_cast<std::size_t>(s.document) * sizeof(float);
  query_gradient_kernel<<<grid(s, s.num_heads), kThreads, shared, l.stream>>>(
      s, qkv, core, core_gradient, log_sums, means, qkv_gradient);
  SMELT_CUDA_CHECK(cudaGetLastError());
  key_gradient_kernel<<<grid(s, s.num_key_value_heads), kThreads, 2 * shared, l.stream>>>(
      s, qkv, core_gradient, log_sums, means, qkv_gradient);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

#define SMELT_INSTANTIATE(T)                                                                  \
  template void attention_forward(const Launch&, const T*, T*, float*);                       \
  template void attention_backward(const Launch&, const T*, const T*, const T*, const float*, \
                                   float*, T*);
SMELT_INSTANTIATE(float)
SMELT_INSTANTIATE(__nv_bfloat16)
#undef SMELT_INSTANTIATE

}  // namespace smelt::cuda
