#pragma once

#include <memory>

#include "bench/backend.hpp"
#include "smelt/bench.hpp"

namespace smelt {

/// What the CUDA backend is asked for.
struct CudaOptions {
  ExpertKernel expert_kernel = ExpertKernel::kGrouped;
  bool bf16 = true;
};

/// Throws Unavailable for a build without CUDA, a machine whose CUDA libraries cannot be loaded,
/// and one without a GPU or a driver.
std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options);

}  // namespace smelt
