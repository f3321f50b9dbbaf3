#include "bench/cuda_backend.hpp"

#include "smelt/error.hpp"

#ifdef SMELT_HAS_CUDA
#include <dlfcn.h>

#include <string>

#include "bench/cuda/cuda_module.hpp"
#endif

namespace smelt {

#ifdef SMELT_HAS_CUDA

namespace {

constexpr const char* kModule = "libsmelt_cuda.so";

/// The module's maker of backends. The module stays loaded: what it made may outlive any call.
MakeCudaBackend* load_module() {
  void* module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    throw Unavailable(std::string("the CUDA backend cannot be loaded (") + dlerror() + ")");
  }
  return reinterpret_cast<MakeCudaBackend*>(dlsym(module, kMakeCudaBackend));
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options) {
  return std::unique_ptr<Backend>(
      load_module()(static_cast<ExpertProducts>(options.expert_kernel), options.bf16));
}

#else

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions&) {
  throw Unavailable("this build has no CUDA backend (configure it with -DSMELT_CUDA=ON)");
}

#endif

}  // namespace smelt
