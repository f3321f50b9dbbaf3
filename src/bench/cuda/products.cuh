#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <vector>

#include "bench/cuda/memory.cuh"
#include "bench/layer_run.hpp"

namespace smelt::cuda {

/// One operand of a row-major product as it is stored.
struct Matrix {
  const void* data = nullptr;
  std::int64_t leading = 0;  ///< elements between rows
  bool transposed = false;
};

/// C (m x n) = op(A) (m x k) op(B) (k x n), row-major.
struct RowProduct {
  Matrix a, b;
  void* c = nullptr;
  std::int64_t leading_c = 0;
  std::int64_t m = 0, n = 0, k = 0;
};

/// cuBLAS on one stream with a workspace of its own, so that products can be captured in a graph.
/// All products accumulate in fp32.
class Blas {
 public:
  explicit Blas(const Stream& stream);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  /// Operands of type `type`, the result of type `result`.
  void multiply(const RowProduct& product, cudaDataType_t type, cudaDataType_t result);

  /// `count` products alike, their operands the given numbers of elements apart.
  void multiply_strided(const RowProduct& product, std::int64_t stride_a, std::int64_t stride_b,
                        std::int64_t stride_c, std::int64_t count, cudaDataType_t type);

  /// What a grouped product keeps between calls: sizes on the host, pointers on the device.
  struct Group {
    std::vector<cublasOperation_t> operation_a, operation_b;
    std::vector<int> m, n, k, leading_a, leading_b, leading_c, sizes;
    std::vector<float> alpha, beta;
    DeviceArray<void*> pointers;  ///< all A, all B, all C
  };
  /// Products without rows are left out.
  static Group make_group(const std::vector<RowProduct>& products);
  void multiply_grouped(const Group& group, cudaDataType_t type);

 private:
  static constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

  cublasHandle_t handle_ = nullptr;
  DeviceArray<char> workspace_{kWorkspaceBytes};
};

}  // namespace smelt::cuda
