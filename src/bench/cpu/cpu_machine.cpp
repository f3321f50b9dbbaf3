#include "bench/cpu/cpu_machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace smelt {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  largest = std::max<std::int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  return largest > 0 ? largest : std::int64_t{32} << 20;
}

double cpu_clock_probe() {
  const auto start = std::chrono::steady_clock::now();
  volatile float seed = 1.0f;
  float value = seed;
  for (int i = 0; i < 1'000'000; ++i) value = value * 0.999f + 0.001f;
  seed = value;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace smelt
