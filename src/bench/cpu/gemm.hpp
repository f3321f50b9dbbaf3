#pragma once

#include <cstdint>
#include <string_view>

namespace smelt {

/// Whether an operand is stored as it is used or transposed.
enum class Layout { kPlain, kTransposed };

/// C (m x n) = op(A) (m x k) op(B) (k x n), plus C itself where `accumulate`; row-major with
/// leading dimensions, on the calling thread alone. Any extent may be 0.
struct Gemm {
  Layout layout_a = Layout::kPlain;
  Layout layout_b = Layout::kPlain;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  const float* a = nullptr;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t ldb = 0;
  float* c = nullptr;
  std::int64_t ldc = 0;
  bool accumulate = false;
};

enum class GemmLibrary { kEigen, kOneDnn };

/// oneDNN where the build has it and it can be loaded, else Eigen.
GemmLibrary best_gemm_library();
std::string_view gemm_library_name(GemmLibrary library);
/// Throws Unavailable where the library is missing.
void run_gemm(GemmLibrary library, const Gemm& gemm);

}  // namespace smelt
