#include "bench/cuda_backend.hpp"

#include "smelt/error.hpp"

#ifdef SMELT_HAS_CUDA
#include "bench/cuda/cuda_module.hpp"
#include "bench/module.hpp"
#endif

namespace smelt {

#ifdef SMELT_HAS_CUDA

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options) {
  auto* make = reinterpret_cast<MakeCudaBackend*>(
      module_symbol("libsmelt_cuda.so", kMakeCudaBackend, "the CUDA backend"));
  return std::unique_ptr<Backend>(
      make(static_cast<ExpertProducts>(options.expert_kernel), options.bf16));
}

#else

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions&) {
  throw Unavailable("this build has no CUDA backend (configure it with -DSMELT_CUDA=ON)");
}

#endif

}  // namespace smelt
