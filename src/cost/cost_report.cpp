#include "smelt/cost_report.hpp"

#include "cost/named_counts.hpp"

namespace smelt {
namespace {

CostResult counted(const CostRequest& request) {
  CostResult result;
  result.model = request.model;
  result.effective_layers = effective_layers(request.model);
  result.params = count_parameters(request.model);
  result.convention = request.convention;
  result.flops = count_flops(request.model, request.convention);
  result.kv_dtype = request.kv_dtype;
  result.kv_elements_per_token = kv_elements_per_token(request.model);
  result.kv_bytes_per_token = kv_bytes(result.kv_elements_per_token, request.kv_dtype);
  result.control =
      request.control ? *request.control : fully_active_control(request.model, request.convention);
  result.sparsity = sparsity(result.flops.training_per_token, result.params.non_embedding,
                             result.control.figures);
  return result;
}

}  // namespace

CostResult evaluate_cost(const CostRequest& request) {
  return counted_for(request.model, [&] { return counted(request); });
}

}  // namespace smelt
