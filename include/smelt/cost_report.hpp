#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/control.hpp"
#include "smelt/convention_report.hpp"
#include "smelt/cost.hpp"
#include "smelt/kv_report.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// What one model costs: the request of `smelt cost`.
struct CostRequest {
  Model model;
  Convention convention = conventions().front();
  /// What sparsity is measured against; absent: the model itself with E = k.
  std::optional<Control> control;
  KvDtype kv_dtype = KvDtype::kBf16;
  bool all_conventions = false;         ///< count the model under every convention, too
  std::optional<std::int64_t> context;  ///< tokens at which the cache is totalled
  std::int64_t batch = 1;               ///< sequences at that context
  /// Answer without FLOPs where the model states too little for them, instead of an error.
  bool flops_optional = false;
};

struct CostResult {
  Model model;
  std::int64_t effective_layers = 0;  ///< L_eff
  ParameterCounts params;
  Convention convention;
  FlopCounts flops;
  std::string flops_missing;  ///< what the FLOPs lack where they are not counted
  KvDtype kv_dtype = KvDtype::kBf16;
  Count kv_elements_per_token;
  Count kv_bytes_per_token;
  Count kv_elements_per_token_unbounded;  ///< past every window
  Count kv_slots;
  Count kv_state_elements;
  std::optional<KvAtContext> kv_at_context;
  std::vector<ConventionRow> conventions;  ///< empty unless asked for
  double sparsity = 0;                     ///< compute-equivalent, against `control`
  Control control;
};

/// Throws InputError as count_flops does, and where a count of the model passes 64 bits.
CostResult evaluate_cost(const CostRequest& request);

}  // namespace smelt
