#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/cuda_layer.cuh"
#include "bench/cuda/cuda_module.hpp"
#include "bench/cuda/device_math.cuh"

namespace smelt::cuda {

namespace {

constexpr int kRepetitions = 5;
constexpr std::int64_t kAlignment = 8;  // elements of 16 bytes in bf16

/// Ticks of one multiprocessor's clock and of the device's nanosecond timer over the same work.
__global__ void clock_kernel(long long* ticks, unsigned long long* nanoseconds, float* sink) {
  unsigned long long start_ns = 0, end_ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
  const long long start = clock64();
  float value = *sink;
  for (int i = 0; i < 2'000'000; ++i) value = value * 0.999f + 0.001f;
  *sink = value;
  *ticks = clock64() - start;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns));
  *nanoseconds = end_ns - start_ns;
}

/// Uniform numbers in [-1, 1): no zeros, which some chips multiply faster.
template <typename T>
__global__ void noise_kernel(T* values, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + 12345u;
  x ^= x >> 16;
  x *= 2246822519u;
  x ^= x >> 13;
  values[i] = from_float<T>(static_cast<float>(x) * (2.0f / 4294967296.0f) - 1.0f);
}

/// The best of a few timed runs of `body` on the stream, after one untimed.
template <typename Body>
double best_seconds(const Stream& stream, const Body& body) {
  Event start, end;
  body();
  double best = 1e30;
  for (int i = 0; i < kRepetitions; ++i) {
    start.record(stream);
    body();
    end.record(stream);
    stream.wait();
    best = std::min(best, end.seconds_since(start));
  }
  return best;
}

template <typename T>
double product_flops_per_s() {
  constexpr std::int64_t kSide = 8192;
  constexpr cudaDataType_t kType = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_16BF;
  const Stream stream;
  Blas blas(stream);
  const DeviceArray<T> a(kSide * kSide), b(kSide * kSide), c(kSide * kSide);
  for (const DeviceArray<T>* array : {&a, &b}) {
    noise_kernel<<<kSide * kSide / 256, 256, 0, stream.get()>>>(array->data(), kSide * kSide);
    SMELT_CUDA_CHECK(cudaGetLastError());
  }
  const RowProduct product{
      {a.data(), kSide}, {b.data(), kSide}, c.data(), kSide, kSide, kSide, kSide};
  return 2.0 * kSide * kSide * kSide /
         best_seconds(stream, [&] { blas.multiply(product, kType, kType); });
}

double copy_bytes_per_s(std::size_t footprint) {
  const Stream stream;
  const DeviceArray<char> from(footprint / 2), to(footprint / 2);
  const int copies = static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 30) / footprint));
  const double seconds = best_seconds(stream, [&] {
    for (int i = 0; i < copies; ++i) {
      SMELT_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice,
                                       stream.get()));
    }
  });
  return static_cast<double>(footprint) * copies / seconds;
}

const char* products_name(ExpertProducts products) {
  switch (products) {
    case ExpertProducts::kLoop:
      return "loop";
    case ExpertProducts::kStrided:
      return "strided";
    case ExpertProducts::kGrouped:
      return "grouped";
    case ExpertProducts::kNative:
      break;
  }
  return "native";
}

class CudaBackend : public Backend {
 public:
  CudaBackend(ExpertProducts products, bool bf16) : products_(products), bf16_(bf16) {
    int devices = 0;
    SMELT_CUDA_CHECK(cudaGetDeviceCount(&devices));
    SMELT_CUDA_CHECK(cudaSetDevice(0));
    SMELT_CUDA_CHECK(cudaGetDeviceProperties(&device_, 0));
    if (device_.major < 8) {
      throw Unavailable(std::string(device_.name) + " has compute capability " +
                        std::to_string(device_.major) + "." + std::to_string(device_.minor) +
                        ", the CUDA backend takes 8.0 or later");
    }
  }

  MachineInfo machine() override {
    int version = 0;
    SMELT_CUDA_CHECK(cublasGetProperty(MAJOR_VERSION, &version));
    return {"cuda",
            device_.name,
            "cuBLAS " + std::to_string(version) + ", experts: " + products_name(products_),
            bf16_ ? "bf16" : "fp32",
            device_.multiProcessorCount,
            device_.l2CacheSize,
            {"the attention core is a plain reference kernel, not a fused one"}};
  }

  Ceilings sample_ceilings() override {
    Ceilings ceilings;
    ceilings.flops_per_s =
        bf16_ ? product_flops_per_s<__nv_bfloat16>() : product_flops_per_s<float>();
    // In the L2 and far beyond it.
    const auto cache = static_cast<std::int64_t>(device_.l2CacheSize);
    for (const std::int64_t footprint : {cache / 4, cache * 32}) {
      ceilings.bandwidth.push_back(
          {footprint, copy_bytes_per_s(static_cast<std::size_t>(footprint))});
    }
    return ceilings;
  }

  std::unique_ptr<LayerRun> make_layer(const LayerShape& shape) override {
    if (bf16_) return std::make_unique<CudaLayer<__nv_bfloat16>>(shape, products_, device_);
    return std::make_unique<CudaLayer<float>>(shape, products_, device_);
  }

  /// Nanoseconds per clock tick of one multiprocessor, in seconds: what throttling raises.
  double clock_probe() override {
    const DeviceArray<long long> ticks(1);
    const DeviceArray<unsigned long long> nanoseconds(1);
    const DeviceArray<float> sink(1);
    SMELT_CUDA_CHECK(cudaMemset(sink.data(), 0, sink.bytes()));
    clock_kernel<<<1, 1>>>(ticks.data(), nanoseconds.data(), sink.data());
    SMELT_CUDA_CHECK(cudaGetLastError());
    long long host_ticks = 0;
    unsigned long long host_ns = 0;
    SMELT_CUDA_CHECK(cudaMemcpy(&host_ticks, ticks.data(), ticks.bytes(), cudaMemcpyDeviceToHost));
    SMELT_CUDA_CHECK(
        cudaMemcpy(&host_ns, nanoseconds.data(), nanoseconds.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<double>(host_ns) * 1e-9 / static_cast<double>(host_ticks);
  }

  std::string refusal(const LayerShape& s) override {
    for (const auto& [name, value] :
         {std::pair<const char*, std::int64_t>{"hidden_size", s.hidden_size},
          {"moe_intermediate_size", s.expert_width},
          {"query width", s.query_width()},
          {"query, key and value width", s.qkv_width()}}) {
      if (value % kAlignment != 0) {
        return std::string(name) + " " + std::to_string(value) +
               " is no multiple of 8 (rows of a product start at 16 bytes)";
      }
    }
    if (s.num_experts > kMostExperts || s.top_k > kMostTopK) {
      return "the top-k kernel takes up to 512 experts and 32 chosen";
    }
    if (s.document > kLongestDocument || s.head_dim > kMostHeadDim) {
      return "the attention core takes documents up to 6000 tokens and heads up to 256";
    }
    return memory_refusal(s);
  }

 private:
  std::string memory_refusal(const LayerShape& s) const {
    double bytes = 0;
    for (int i = 0; i < kNumTensors; ++i) {
      bytes += (bf16_ ? 2.0 : 4.0) * static_cast<double>(tensor_size(s, static_cast<Tensor>(i)));
    }
    std::size_t free = 0, total = 0;
    SMELT_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    // Six layers live at once: two models and four calibration shapes.
    if (6 * bytes < 0.9 * static_cast<double>(free)) return {};
    return "one layer takes " + std::to_string(bytes / 1e9) +
           " GB, too much for six at once (fewer tokens, or --reduce R)";
  }

  ExpertProducts products_;
  bool bf16_;
  cudaDeviceProp device_{};
};

}  // namespace

}  // namespace smelt::cuda

extern "C" __attribute__((visibility("default"))) smelt::Backend* smelt_make_cuda_backend(
    smelt::ExpertProducts products, bool bf16) {
  return new smelt::cuda::CudaBackend(products, bf16);
}
