#include "core/enum_names.hpp"
#include "smelt/bench.hpp"

namespace smelt {

namespace {

constexpr EnumNames<BenchBackend, 2> kBackends = {
    {{{BenchBackend::kCpu, "cpu"}, {BenchBackend::kCuda, "cuda"}}}};
constexpr EnumNames<BenchCache, 3> kCaches = {{{{BenchCache::kSequence, "sequence"},
                                                {BenchCache::kHot, "hot"},
                                                {BenchCache::kCold, "cold"}}}};
constexpr EnumNames<ExpertKernel, 4> kKernels = {{{{ExpertKernel::kLoop, "loop"},
                                                   {ExpertKernel::kStrided, "strided"},
                                                   {ExpertKernel::kGrouped, "grouped"},
                                                   {ExpertKernel::kNative, "native"}}}};

}  // namespace

BenchBackend parse_bench_backend(std::string_view text, std::string_view where) {
  return kBackends.parse(text, "backend", where);
}
BenchCache parse_bench_cache(std::string_view text, std::string_view where) {
  return kCaches.parse(text, "cache state", where);
}
ExpertKernel parse_expert_kernel(std::string_view text, std::string_view where) {
  return kKernels.parse(text, "expert kernel", where);
}
std::string_view bench_cache_name(BenchCache cache) { return kCaches.of(cache); }
std::string_view expert_kernel_name(ExpertKernel kernel) { return kKernels.of(kernel); }

}  // namespace smelt
