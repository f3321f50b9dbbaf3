#include "bench/cuda_backend.hpp"

#include "smelt/error.hpp"

namespace smelt {

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions&) {
  throw Unavailable("this build has no CUDA backend (configure it with -DSMELT_CUDA=ON)");
}

}  // namespace smelt
