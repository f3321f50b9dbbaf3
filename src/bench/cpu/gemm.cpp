#include "bench/cpu/gemm.hpp"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <stdexcept>

#include "smelt/error.hpp"

#ifdef SMELT_HAS_ONEDNN
#include <dnnl.h>
#endif

namespace smelt {

namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Operand = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;
using Result = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;

Operand operand(Layout layout, const float* data, std::int64_t rows, std::int64_t columns,
                std::int64_t stride) {
  if (layout == Layout::kTransposed) std::swap(rows, columns);
  return {data, rows, columns, Eigen::OuterStride<>(stride)};
}

void run_eigen(const Gemm& g) {
  const Operand a = operand(g.layout_a, g.a, g.m, g.k, g.lda);
  const Operand b = operand(g.layout_b, g.b, g.k, g.n, g.ldb);
  Result c(g.c, g.m, g.n, Eigen::OuterStride<>(g.ldc));
  if (!g.accumulate) c.setZero();
  if (g.k == 0) return;
  const bool ta = g.layout_a == Layout::kTransposed;
  const bool tb = g.layout_b == Layout::kTransposed;
  if (ta && tb) {
    c.noalias() += a.transpose() * b.transpose();
  } else if (ta) {
    c.noalias() += a.transpose() * b;
  } else if (tb) {
    c.noalias() += a * b.transpose();
  } else {
    c.noalias() += a * b;
  }
}

#ifdef SMELT_HAS_ONEDNN
/// oneDNN's sgemm keeps no state between calls and allocates its own scratch memory in each.
void run_onednn(const Gemm& g) {
  const auto letter = [](Layout layout) { return layout == Layout::kTransposed ? 'T' : 'N'; };
  const dnnl_status_t status =
      dnnl_sgemm(letter(g.layout_a), letter(g.layout_b), g.m, g.n, g.k, 1.0f, g.a, g.lda, g.b,
                 g.ldb, g.accumulate ? 1.0f : 0.0f, g.c, g.ldc);
  if (status != dnnl_success) {
    throw std::runtime_error("dnnl_sgemm: status " + std::to_string(static_cast<int>(status)));
  }
}
#endif

}  // namespace

GemmLibrary best_gemm_library() {
#ifdef SMELT_HAS_ONEDNN
  return GemmLibrary::kOneDnn;
#else
  return GemmLibrary::kEigen;
#endif
}

std::string_view gemm_library_name(GemmLibrary library) {
  return library == GemmLibrary::kOneDnn ? "oneDNN" : "Eigen";
}

void run_gemm(GemmLibrary library, const Gemm& gemm) {
  if (gemm.m == 0 || gemm.n == 0) return;
  if (library == GemmLibrary::kEigen || gemm.k == 0) return run_eigen(gemm);
#ifdef SMELT_HAS_ONEDNN
  run_onednn(gemm);
#else
  throw Unavailable("this build has no oneDNN");
#endif
}

}  // namespace smelt
