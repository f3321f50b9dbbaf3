#pragma once

// The one door between the library and the oneDNN module, which is loaded when a benchmark runs:
// oneDNN takes a tenth of a second to load.

#include "bench/cpu/gemm.hpp"

namespace smelt {

/// Signature of the module's only symbol: run_gemm for extents above 0. Returns oneDNN's status, 0
/// for success.
using RunOneDnn = int(const Gemm& gemm);
inline constexpr const char* kOneDnnModule = "libsmelt_onednn.so";
inline constexpr const char* kRunOneDnn = "smelt_run_onednn";

}  // namespace smelt
