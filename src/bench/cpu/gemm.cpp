#include "bench/cpu/gemm.hpp"

#include <Eigen/Core>
#include <stdexcept>

#include "smelt/error.hpp"

#ifdef SMELT_HAS_ONEDNN
#include "bench/cpu/onednn_module.hpp"
#include "bench/module.hpp"
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
RunOneDnn* onednn() {
  static auto* const kRun =
      reinterpret_cast<RunOneDnn*>(module_symbol(kOneDnnModule, kRunOneDnn, "oneDNN"));
  return kRun;
}

void run_onednn(const Gemm& gemm) {
  if (const int status = onednn()(gemm); status != 0) {
    throw std::runtime_error("dnnl_sgemm: status " + std::to_string(status));
  }
}
#else
void onednn() { throw Unavailable("this build has no oneDNN"); }
void run_onednn(const Gemm&) { onednn(); }
#endif

}  // namespace

GemmLibrary best_gemm_library() {
  try {
    onednn();
    return GemmLibrary::kOneDnn;
  } catch (const Unavailable&) {
    return GemmLibrary::kEigen;
  }
}

std::string_view gemm_library_name(GemmLibrary library) {
  return library == GemmLibrary::kOneDnn ? "oneDNN" : "Eigen";
}

void run_gemm(GemmLibrary library, const Gemm& gemm) {
  if (gemm.m == 0 || gemm.n == 0) return;
  if (library == GemmLibrary::kEigen || gemm.k == 0) return run_eigen(gemm);
  run_onednn(gemm);
}

}  // namespace smelt
