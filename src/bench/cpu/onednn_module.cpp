#include "bench/cpu/onednn_module.hpp"

#include <dnnl.h>
#include <omp.h>

namespace smelt {

/// oneDNN's sgemm keeps no state between calls and allocates its own scratch memory in each.
extern "C" __attribute__((visibility("default"))) int smelt_run_onednn(const Gemm& g) {
  omp_set_num_threads(1);  // of the calling thread's parallel regions alone
  const auto letter = [](Layout layout) { return layout == Layout::kTransposed ? 'T' : 'N'; };
  return dnnl_sgemm(letter(g.layout_a), letter(g.layout_b), g.m, g.n, g.k, 1.0f, g.a, g.lda, g.b,
                    g.ldb, g.accumulate ? 1.0f : 0.0f, g.c, g.ldc);
}

}  // namespace smelt
