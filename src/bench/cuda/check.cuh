#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "smelt/error.hpp"

namespace smelt::cuda {

/// A CUDA or cuBLAS call that failed: its text, the status by name and in words.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(cudaError_t status, const char* call) {
  const std::string text =
      std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status);
  switch (status) {
    case cudaErrorInsufficientDriver:  // 35: the driver is too old, or there is none
    case cudaErrorStubLibrary:
    case cudaErrorNoDevice:
    case cudaErrorDevicesUnavailable:  // another process holds it for itself
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      throw Unavailable("no usable NVIDIA GPU (" + text + ")");
    case cudaErrorMemoryAllocation:
      throw Unavailable("the GPU's memory is too small; fewer tokens or --reduce R (" + text + ")");
    default:
      throw CudaError(text);
  }
}

[[noreturn]] inline void fail(cublasStatus_t status, const char* call) {
  throw CudaError(std::string(call) + ": " + cublasGetStatusName(status) + ", " +
                  cublasGetStatusString(status));
}

inline bool succeeded(cudaError_t status) { return status == cudaSuccess; }
inline bool succeeded(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }

}  // namespace smelt::cuda

/// Makes a CUDA or cuBLAS call; throws with its text unless it succeeds.
#define SMELT_CUDA_CHECK(call)                                                             \
  do {                                                                                     \
    const auto smelt_status = (call);                                                      \
    if (!::smelt::cuda::succeeded(smelt_status)) ::smelt::cuda::fail(smelt_status, #call); \
  } while (false)
