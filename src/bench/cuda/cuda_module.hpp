#pragma once

// Plain C++17: the one door between the library and the CUDA module, which is loaded when it is
// asked for, so that no other use of the library waits for CUDA's own libraries.

#include "bench/backend.hpp"

namespace smelt {

/// How the module multiplies the rows of all experts; the order of ExpertKernel.
enum class ExpertProducts : int { kLoop, kStrided, kGrouped, kNative };

/// Signature of the module's only symbol. The caller owns the backend. Throws Unavailable without a
/// usable GPU.
using MakeCudaBackend = Backend*(ExpertProducts products, bool bf16);
inline constexpr const char* kMakeCudaBackend = "smelt_make_cuda_backend";

}  // namespace smelt
