#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "bench/cpu/cpu_machine.hpp"
#include "smelt/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace smelt {

namespace {

constexpr int kRepetitions = 5;
constexpr double kRepetitionSeconds = 0.02;

/// Runs `body` on every thread of the team at once; seconds until the last is done.
template <typename Body>
double timed(Team& team, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  team.run(static_cast<std::size_t>(team.size()), body);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The best rate of `work_of_pass` units of work in `pass(thread)` over the whole team, passes
/// repeated until a repetition takes long enough for its start not to count.
template <typename Body>
double best_rate(Team& team, double work_of_pass, const Body& pass) {
  const double once = timed(team, [&](std::size_t i, int) { pass(i); });
  const int passes = std::max(1, static_cast<int>(kRepetitionSeconds / std::max(once, 1e-9)));
  double best = 0;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double seconds = timed(team, [&](std::size_t i, int) {
      for (int p = 0; p < passes; ++p) pass(i);
    });
    best = std::max(best, work_of_pass * passes * team.size() / seconds);
  }
  return best;
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
    for (int i = 0; i < kChains; ++i) chains[i] = _mm256_fmadd_ps(chains[i], factor, summand);
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
    for (int i = 0; i < kChains; ++i) chains[i] = _mm512_fmadd_ps(chains[i], factor, summand);
  }
  __m512 sum = chains[0];
  for (int i = 1; i < kChains; ++i) sum = _mm512_add_ps(sum, chains[i]);
  return _mm512_cvtss_f32(sum);
}

double register_flops_per_s(Team& team) {
  double best = 0;
  std::vector<float> sink(static_cast<std::size_t>(team.size()));
  const auto try_kernel = [&](float (*kernel)(), int lanes) {
    best = std::max(best, best_rate(team, 2.0 * lanes * kChains * kFmaSteps,
                                    [&](std::size_t i) { sink[i] += kernel(); }));
  };
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) try_kernel(fma_avx2, 8);
  if (__builtin_cpu_supports("avx512f")) try_kernel(fma_avx512, 16);
  return best;
}
#else
double register_flops_per_s(Team&) { return 0; }
#endif

double product_flops_per_s(GemmLibrary library, Team& team) {
  constexpr std::int64_t kSide = 512;
  RandomStream random(1);
  std::vector<float> a(kSide * kSide);
  for (float& value : a) value = static_cast<float>(random.normal());
  std::vector<std::vector<float>> c(static_cast<std::size_t>(team.size()), a);
  return best_rate(team, 2.0 * kSide * kSide * kSide, [&](std::size_t i) {
    run_gemm(library, {Layout::kPlain, Layout::kPlain, kSide, kSide, kSide, a.data(), kSide,
                       a.data(), kSide, c[i].data(), kSide});
  });
}

/// Sums in independent lanes, so that memory and not the chain of additions sets the pace.
float sum_of(const std::vector<float>& values) {
  constexpr std::size_t kLanes = 64;
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

double bytes_per_s(Team& team, std::int64_t footprint) {
  const auto threads = static_cast<std::size_t>(team.size());
  const std::size_t elements = static_cast<std::size_t>(footprint) / threads / sizeof(float) / 2;
  std::vector<std::vector<float>> from(threads, std::vector<float>(elements, 1.0f));
  std::vector<std::vector<float>> to = from;
  std::vector<float> sink(threads);
  const double bytes = 2.0 * static_cast<double>(elements * sizeof(float));
  const double read =
      best_rate(team, bytes, [&](std::size_t i) { sink[i] += sum_of(from[i]) + sum_of(to[i]); });
  const double copy = best_rate(team, bytes, [&](std::size_t i) {
    std::memcpy(to[i].data(), from[i].data(), elements * sizeof(float));
  });
  return std::max(read, copy);
}

}  // namespace

Ceilings measure_cpu_ceilings(GemmLibrary library, Team& team) {
  Ceilings ceilings;
  ceilings.flops_per_s = std::max(register_flops_per_s(team), product_flops_per_s(library, team));
  for (const std::int64_t mebibytes : {1, 4, 16, 64, 192}) {
    const std::int64_t footprint = mebibytes << 20;
    ceilings.bandwidth.push_back({footprint, bytes_per_s(team, footprint)});
  }
  return ceilings;
}

}  // namespace smelt
