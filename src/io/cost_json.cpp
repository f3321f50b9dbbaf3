#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

/// All components, absent ones at 0, so that the keys stay the same.
JsonValue components_value(const Breakdown& counts) {
  JsonValue::Object members;
  for (const Component c : kAllComponents) {
    members.emplace_back(component_name(c), to_value(counts[c]));
  }
  return JsonValue::object(std::move(members));
}

JsonValue params_value(const ParameterCounts& params) {
  return JsonValue::object({{"total", to_value(params.total)},
                            {"non_embedding", to_value(params.non_embedding)},
                            {"active", to_value(params.active)},
                            {"executed_active", to_value(params.executed_active)},
                            {"active_with_embeddings", to_value(params.active_with_embeddings)},
                            {"components", components_value(params.components)}});
}

JsonValue flops_value(const CostResult& result) {
  return JsonValue::object({{"convention", to_value(result.convention.name)},
                            {"training_per_token", to_value(result.flops.training_per_token)},
                            {"forward_per_token", to_value(result.flops.forward_per_token)},
                            {"components", components_value(result.flops.training_components)}});
}

JsonValue kv_value(const CostResult& result) {
  return JsonValue::object({{"elements_per_token", to_value(result.kv_elements_per_token)},
                            {"bytes_per_token", to_value(result.kv_bytes_per_token)},
                            {"dtype", to_value(kv_dtype_name(result.kv_dtype))},
                            {"policy", to_value(kv_policy_name(result.model.loop.kv))}});
}

}  // namespace

std::string to_json(const CostResult& result) {
  JsonValue::Object members = result_members("cost");
  members.emplace_back("model", model_json(result.model));
  members.emplace_back("effective_layers", to_value(Count(result.effective_layers)));
  members.emplace_back("params", params_value(result.params));
  members.emplace_back("flops", flops_value(result));
  members.emplace_back("kv", kv_value(result));
  members.emplace_back("sparsity", JsonValue::object({{"value", to_value(result.sparsity)},
                                                      {"control", to_value(result.control.name)}}));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
