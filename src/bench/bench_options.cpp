#include <fmt/format.h>

#include <array>
#include <utility>

#include "smelt/bench.hpp"
#include "smelt/error.hpp"

namespace smelt {

namespace {

template <typename Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<BenchBackend, 2> kBackends = {
    {{BenchBackend::kCpu, "cpu"}, {BenchBackend::kCuda, "cuda"}}};
constexpr Names<BenchCache, 3> kCaches = {
    {{BenchCache::kSequence, "sequence"}, {BenchCache::kHot, "hot"}, {BenchCache::kCold, "cold"}}};
constexpr Names<ExpertKernel, 4> kKernels = {{{ExpertKernel::kLoop, "loop"},
                                              {ExpertKernel::kStrided, "strided"},
                                              {ExpertKernel::kGrouped, "grouped"},
                                              {ExpertKernel::kNative, "native"}}};

template <typename Enum, std::size_t N>
Enum parse(const Names<Enum, N>& names, std::string_view text, std::string_view where) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw InputError(std::string(where), fmt::format("unknown choice '{}'", text), "one of " + known);
}

template <typename Enum, std::size_t N>
std::string_view name_in(const Names<Enum, N>& names, Enum wanted) {
  return names[static_cast<std::size_t>(wanted)].second;
}

}  // namespace

BenchBackend parse_bench_backend(std::string_view text, std::string_view where) {
  return parse(kBackends, text, where);
}
BenchCache parse_bench_cache(std::string_view text, std::string_view where) {
  return parse(kCaches, text, where);
}
ExpertKernel parse_expert_kernel(std::string_view text, std::string_view where) {
  return parse(kKernels, text, where);
}
std::string_view bench_cache_name(BenchCache cache) { return name_in(kCaches, cache); }
std::string_view expert_kernel_name(ExpertKernel kernel) { return name_in(kKernels, kernel); }

}  // namespace smelt
