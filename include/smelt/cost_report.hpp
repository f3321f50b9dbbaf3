#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "smelt/control.hpp"
#include "smelt/cost.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// What one model costs: the request of `smelt cost`.
struct CostRequest {
  Model model;
  Convention convention = conventions().front();
  /// What sparsity is measured against; absent: the model itself with E = k.
  std::optional<Control> control;
  KvDtype kv_dtype = KvDtype::kBf16;
};

struct CostResult {
  Model model;
  std::int64_t effective_layers = 0;  ///< L_eff
  ParameterCounts params;
  Convention convention;
  FlopCounts flops;
  KvDtype kv_dtype = KvDtype::kBf16;
  Count kv_elements_per_token;
  Count kv_bytes_per_token;
  double sparsity = 0;  ///< compute-equivalent, against `control`
  Control control;
};

/// Throws InputError as count_flops does, and where a count of the model passes 64 bits.
CostResult evaluate_cost(const CostRequest& request);

}  // namespace smelt
