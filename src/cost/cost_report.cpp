#include "smelt/cost_report.hpp"

#include "cost/named_counts.hpp"
#include "smelt/error.hpp"

namespace smelt {
namespace {

/// FLOPs and what stands on them. Without FLOPs S is left at 0.
void count_training(const CostRequest& request, CostResult& result) {
  try {
    result.flops = count_flops(request.model, request.convention);
  } catch (const InputError& error) {
    if (!request.flops_optional) throw;
    const Mistake& mistake = error.mistakes().front();
    result.flops_missing = mistake.what + "; " + mistake.expected;
    return;
  }
  result.control =
      request.control ? *request.control : fully_active_control(request.model, request.convention);
  result.sparsity = sparsity(result.flops.training_per_token, result.params.non_embedding,
                             result.control.figures);
}

CostResult counted(const CostRequest& request) {
  CostResult result;
  result.model = request.model;
  result.effective_layers = effective_layers(request.model);
  result.params = count_parameters(request.model);
  result.convention = request.convention;
  result.kv_dtype = request.kv_dtype;
  result.kv_elements_per_token = kv_elements_per_token(request.model);
  result.kv_bytes_per_token = kv_bytes(result.kv_elements_per_token, request.kv_dtype);
  result.kv_elements_per_token_unbounded = kv_elements_per_token_unbounded(request.model);
  result.kv_slots = kv_slots(request.model);
  result.kv_state_elements = kv_state_elements(request.model);
  if (request.context) {
    result.kv_at_context =
        kv_at_context(request.model, *request.context, request.batch, request.kv_dtype);
  }
  if (request.all_conventions) result.conventions = count_under_conventions(request.model);
  count_training(request, result);
  return result;
}

}  // namespace

CostResult evaluate_cost(const CostRequest& request) {
  return counted_for(request.model, [&] { return counted(request); });
}

}  // namespace smelt
