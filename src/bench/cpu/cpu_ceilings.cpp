#include "bench/cpu/cpu_ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "smelt/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace smelt {

namespace {

constexpr double kSampleSeconds = 0.002;
constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kFootprints[] = {1 * kMebibyte, 4 * kMebibyte, 16 * kMebibyte,
                                        64 * kMebibyte, 192 * kMebibyte};
constexpr std::int64_t kSide = 512;  // of the square product

/// Runs `body` on every thread of the team at once; seconds until the last is done.
template <typename Body>
double timed(Team& team, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  team.run(static_cast<std::size_t>(team.size()), body);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The rate of `work_of_pass` units of work in `pass(thread)` over the whole team, passes repeated
/// until they take long enough for their start not to count.
template <typename Body>
double rate(Team& team, double work_of_pass, const Body& pass) {
  const double once = timed(team, [&](std::size_t i, int) { pass(i); });
  const int passes = std::max(1, static_cast<int>(kSampleSeconds / std::max(once, 1e-9)));
  const double seconds = timed(team, [&](std::size_t i, int) {
    for (int p = 0; p < passes; ++p) pass(i);
  });
  return work_of_pass * passes * team.size() / seconds;
}

#if defined(__x86_64__)
constexpr int kChains = 12;  // independent, to cover the latency of two units
constexpr int kFmaSteps = 200'000;

__attribute__((target("avx2,fma"))) float fma_avx2() {
  __m256 chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999f);
  const __m256 summand = _mm256_set1_ps(0.001f);
  for (int step = 0; step < kFmaSteps; ++step) {
#pragma GCC unroll 12
    for (__m256& chain : chains) chain = _mm256_fmadd_ps(chain, factor, summand);
  }
  __m256 sum = chains[0];
  for (int i = 1; i < kChains; ++i) sum = _mm256_add_ps(sum, chains[i]);
  return _mm256_cvtss_f32(sum);
}

__attribute__((target("avx512f"))) float fma_avx512() {
  __m512 chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999f);
  const __m512 summand = _mm512_set1_ps(0.001f);
  for (int step = 0; step < kFmaSteps; ++step) {
#pragma GCC unroll 12
    for (__m512& chain : chains) chain = _mm512_fmadd_ps(chain, factor, summand);
  }
  __m512 sum = chains[0];
  for (int i = 1; i < kChains; ++i) sum = _mm512_add_ps(sum, chains[i]);
  return _mm512_cvtss_f32(sum);
}

/// The widest multiply-adds that the processor has; absent where none is written for it.
struct FmaKernel {
  float (*run)() = nullptr;
  int lanes = 0;
};
FmaKernel fma_kernel() {
  if (__builtin_cpu_supports("avx512f")) return {fma_avx512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {fma_avx2, 8};
  return {};
}
double flops_of(const FmaKernel& kernel) { return 2.0 * kernel.lanes * kChains * kFmaSteps; }
#else
struct FmaKernel {
  float (*run)() = nullptr;
};
FmaKernel fma_kernel() { return {}; }
double flops_of(const FmaKernel&) { return 0; }
#endif

/// Sums in independent lanes, so that memory and not the chain of additions sets the pace.
float sum_of(const float* values, std::size_t count) {
  constexpr std::size_t kLanes = 64;
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

}  // namespace

CpuCeilings::CpuCeilings(GemmLibrary library, Team& team) : library_(library), team_(team) {
  const auto largest = static_cast<std::size_t>(std::size(kFootprints)) - 1;
  const auto threads = static_cast<std::size_t>(team.size());
  const std::size_t elements = elements_of(kFootprints[largest]);
  from_.assign(threads, std::vector<float>(elements, 1.0f));
  to_ = from_;
  sink_.resize(threads);
  RandomStream random(1);
  factor_.resize(static_cast<std::size_t>(kSide * kSide));
  for (float& value : factor_) value = static_cast<float>(random.normal());
}

std::size_t CpuCeilings::elements_of(std::int64_t footprint) const {
  return static_cast<std::size_t>(footprint / team_.size()) / sizeof(float) / 2;
}

Ceilings CpuCeilings::sample() {
  Ceilings ceilings{std::max(register_flops_per_s(), product_flops_per_s()), {}};
  for (const std::int64_t footprint : kFootprints) {
    ceilings.bandwidth.push_back({footprint, bytes_per_s(footprint)});
  }
  return ceilings;
}

double CpuCeilings::register_flops_per_s() {
  const FmaKernel kernel = fma_kernel();
  if (kernel.run == nullptr) return 0;
  return rate(team_, flops_of(kernel), [&](std::size_t i) { sink_[i] += kernel.run(); });
}

double CpuCeilings::product_flops_per_s() {
  return rate(team_, 2.0 * kSide * kSide * kSide, [&](std::size_t i) {
    run_gemm(library_, {Layout::kPlain, Layout::kPlain, kSide, kSide, kSide, factor_.data(), kSide,
                        factor_.data(), kSide, to_[i].data(), kSide});
  });
}

double CpuCeilings::bytes_per_s(std::int64_t footprint) {
  const std::size_t elements = elements_of(footprint);
  const double bytes = 2.0 * static_cast<double>(elements * sizeof(float));
  const double read = rate(team_, bytes, [&](std::size_t i) {
    sink_[i] += sum_of(from_[i].data(), elements) + sum_of(to_[i].data(), elements);
  });
  const double copy = rate(team_, bytes, [&](std::size_t i) {
    std::memcpy(to_[i].data(), from_[i].data(), elements * sizeof(float));
  });
  return std::max(read, copy);
}

}  // namespace smelt
