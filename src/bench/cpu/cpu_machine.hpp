#pragma once

#include <cstdint>
#include <string>

#include "bench/backend.hpp"
#include "bench/cpu/gemm.hpp"

namespace smelt {

/// "AMD EPYC ..." as the system names it, or "unknown processor".
std::string processor_name();
/// The largest cache that the system reports; 32 MiB where it reports none.
std::int64_t last_level_cache_bytes();

/// Seconds of a fixed chain of dependent multiply-adds on the calling thread.
double cpu_clock_probe();

std::unique_ptr<Backend> make_cpu_backend(int threads, GemmLibrary library);

}  // namespace smelt
