#include <memory>
#include <string>
#include <utility>

#include "bench/cuda/cuda_layer.cuh"
#include "bench/cuda/cuda_module.hpp"
#include "bench/cuda/device_math.cuh"

namespace smelt::cuda {

namespace {

constexpr int kWakingProbes = 100;      // half a second
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

/// Moves `total` packs of 16 bytes, the same `count` over and over, past the L1.
__global__ void copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to,
                            std::uint32_t count, std::uint32_t total) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < total;
       i += gridDim.x * blockDim.x) {
    __stcg(to + i % count, __ldcg(from + i % count));
  }
}

/// The work that ceilings are measured with, laid out once because they are sampled many times: a
/// large product, and copies in the L2 and far beyond it.
class CeilingProbe {
 public:
  CeilingProbe(const cudaDeviceProp& device, bool bf16)
      : device_(device),
        type_(bf16 ? CUDA_R_16BF : CUDA_R_32F),
        blas_(stream_),
        a_(static_cast<std::size_t>(kSide * kSide * (bf16 ? 2 : 4))),
        b_(a_.size()),
        c_(a_.size()),
        from_(16 * static_cast<std::size_t>(device.l2CacheSize)),
        to_(from_.size()) {
    for (const DeviceArray<char>* array : {&a_, &b_}) {
      bf16 ? fill<__nv_bfloat16>(*array) : fill<float>(*array);
    }
  }

  Ceilings sample() {
    Ceilings ceilings;
    const RowProduct product{
        {a_.data(), kSide}, {b_.data(), kSide}, c_.data(), kSide, kSide, kSide, kSide};
    const double product_s = seconds([&] { blas_.multiply(product, type_, type_); });
    ceilings.flops_per_s = 2.0 * kSide * kSide * kSide / product_s;
    for (const std::size_t bytes : {from_.size() / 128, from_.size()}) {
      ceilings.bandwidth.push_back({static_cast<std::int64_t>(2 * bytes), copy_bytes_per_s(bytes)});
    }
    return ceilings;
  }

 private:
  static constexpr std::int64_t kSide = 8192;
  static constexpr std::size_t kLeastCopied = std::size_t{1} << 29;

  template <typename T>
  void fill(const DeviceArray<char>& array) {
    noise_kernel<<<kSide * kSide / 256, 256, 0, stream_.get()>>>(reinterpret_cast<T*>(array.data()),
                                                                 kSide * kSide);
    SMELT_CUDA_CHECK(cudaGetLastError());
  }

  /// Read plus written, over `bytes` of each buffer.
  double copy_bytes_per_s(std::size_t bytes) {
    const auto count = static_cast<std::uint32_t>(bytes / sizeof(uint4));
    const auto passes = static_cast<std::uint32_t>(kLeastCopied / bytes + 1);
    const auto blocks = static_cast<unsigned>(8 * device_.multiProcessorCount);
    const double copy_s = seconds([&] {
      copy_kernel<<<blocks, 256, 0, stream_.get()>>>(reinterpret_cast<const uint4*>(from_.data()),
                                                     reinterpret_cast<uint4*>(to_.data()), count,
                                                     count * passes);
      SMELT_CUDA_CHECK(cudaGetLastError());
    });
    return 2.0 * sizeof(uint4) * count * passes / copy_s;
  }

  /// Of the second of two runs of `work`, launched while the first still runs.
  template <typename Work>
  double seconds(const Work& work) {
    work();
    start_.record(stream_);
    work();
    end_.record(stream_);
    stream_.wait();
    return end_.seconds_since(start_);
  }

  cudaDeviceProp device_;
  cudaDataType_t type_;
  Stream stream_;
  Blas blas_;
  Event start_, end_;
  DeviceArray<char> a_, b_, c_, from_, to_;
};

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
    if (ceilings_ == nullptr) ceilings_ = std::make_unique<CeilingProbe>(device_, bf16_);
    return ceilings_->sample();
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
    // An idle GPU raises its clock under load alone: the first probe is the last of many.
    for (int i = std::exchange(awake_, true) ? 1 : kWakingProbes; i > 0; --i) {
      clock_kernel<<<1, 1>>>(ticks.data(), nanoseconds.data(), sink.data());
      SMELT_CUDA_CHECK(cudaGetLastError());
    }
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
  bool awake_ = false;
  std::unique_ptr<CeilingProbe> ceilings_;
};

}  // namespace

}  // namespace smelt::cuda

extern "C" __attribute__((visibility("default"))) smelt::Backend* smelt_make_cuda_backend(
    smelt::ExpertProducts products, bool bf16) {
  return new smelt::cuda::CudaBackend(products, bf16);
}
