#pragma once

#include <cstdint>
#include <vector>

#include "smelt/infer.hpp"
#include "smelt/rational.hpp"

namespace smelt {

/// a + b n for n attended keys.
struct KeysLine {
  Int128 a = 0;
  Int128 b = 0;
};

/// A count as a function of the geometry: constant + Q per_query + W per_kv + F per_ffn + Q n
/// per_score.
struct CountForm {
  Int128 constant = 0;
  Int128 per_query = 0;
  Int128 per_kv = 0;
  Int128 per_ffn = 0;
  Int128 per_score = 0;

  [[nodiscard]] KeysLine at(const InferredGeometry& g) const {
    return {constant + per_query * g.query_width + per_kv * g.kv_width + per_ffn * g.expert_ffn,
            per_score * g.query_width};
  }
};

/// The counts of one row for one kind of FFN and number of shared experts.
struct RowForms {
  CountForm active;
  CountForm total;
  CountForm flops;
  CountForm control_total;  ///< of the same model with E = k
  CountForm control_flops;
  std::int64_t kv_per_width = 0;  ///< KV elements at W = 1
};

/// Reads the forms off the cost model at a few geometries.
RowForms row_forms(const PrintedRow& row, std::int64_t matrices, std::int64_t shared_experts,
                   const Convention& convention);

}  // namespace smelt
