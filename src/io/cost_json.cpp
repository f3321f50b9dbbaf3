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
                            {"embedding", to_value(params.total - params.non_embedding)},
                            {"active_non_embedding", to_value(params.active)},
                            {"mtp", to_value(params.mtp)},
                            {"components", components_value(params.components)}});
}

JsonValue flops_value(const CostResult& result) {
  if (!result.flops_missing.empty()) {
    return JsonValue::object({{"convention", to_value(result.convention.name)},
                              {"missing", to_value(result.flops_missing)}});
  }
  return JsonValue::object({{"convention", to_value(result.convention.name)},
                            {"training_per_token", to_value(result.flops.training_per_token)},
                            {"forward_per_token", to_value(result.flops.forward_per_token)},
                            {"components", components_value(result.flops.training_components)}});
}

JsonValue at_context_value(const KvAtContext& kv) {
  return JsonValue::object({{"context", to_value(Count(kv.context))},
                            {"batch", to_value(Count(kv.batch))},
                            {"needed_bytes", to_value(kv.needed_bytes)},
                            {"reserved_bytes", to_value(kv.reserved_bytes)}});
}

JsonValue kv_value(const CostResult& result) {
  JsonValue::Object members = {
      {"elements_per_token", to_value(result.kv_elements_per_token)},
      {"elements_per_token_unbounded", to_value(result.kv_elements_per_token_unbounded)},
      {"slots", to_value(result.kv_slots)},
      {"state_elements", to_value(result.kv_state_elements)},
      {"bytes_per_token", to_value(result.kv_bytes_per_token)},
      {"dtype", to_value(kv_dtype_name(result.kv_dtype))},
      {"policy", to_value(kv_policy_name(result.model.loop.kv))}};
  if (result.kv_at_context) {
    members.emplace_back("at_context", at_context_value(*result.kv_at_context));
  }
  return JsonValue::object(std::move(members));
}

JsonValue sparsity_value(const CostResult& result) {
  if (!result.flops_missing.empty()) return JsonValue::object({});
  return JsonValue::object(
      {{"value", to_value(result.sparsity)}, {"control", to_value(result.control.name)}});
}

JsonValue gap_value(const std::vector<SwitchEffect>& gap) {
  JsonValue::Array effects;
  for (const SwitchEffect& effect : gap) {
    effects.push_back(JsonValue::object({{"switch", to_value(effect.name)},
                                         {"from", to_value(effect.from)},
                                         {"to", to_value(effect.to)},
                                         {"flops", to_value(effect.flops)}}));
  }
  return JsonValue::array(std::move(effects));
}

JsonValue convention_value(const ConventionRow& row) {
  JsonValue::Object members = {{"name", to_value(row.convention.name)}};
  if (row.training_per_token) {
    members.emplace_back("training_per_token", to_value(*row.training_per_token));
  } else {
    members.emplace_back("missing", to_value(row.missing));
  }
  members.emplace_back("switches", switches_value(row.convention));
  members.emplace_back("gap", gap_value(row.gap));
  return JsonValue::object(std::move(members));
}

}  // namespace

std::string to_json(const CostResult& result) {
  JsonValue::Object members = result_members("cost");
  members.emplace_back("model", model_json(result.model));
  members.emplace_back("effective_layers", to_value(Count(result.effective_layers)));
  members.emplace_back("params", params_value(result.params));
  members.emplace_back("flops", flops_value(result));
  members.emplace_back("kv", kv_value(result));
  members.emplace_back("sparsity", sparsity_value(result));
  if (!result.conventions.empty()) {
    JsonValue::Array rows;
    for (const ConventionRow& row : result.conventions) rows.push_back(convention_value(row));
    members.emplace_back("conventions", JsonValue::array(std::move(rows)));
  }
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
