#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

JsonValue baseline_value(const BaselineRow& item) {
  return JsonValue::object({{"model", model_json(item.model)},
                            {"budget", budget_value(item.budget)},
                            {"active_params", to_value(item.active_params)},
                            {"sparsity", to_value(item.sparsity)}});
}

JsonValue row_value(const MatchedRow& item) {
  return JsonValue::object({{"baseline", to_value(item.baseline)},
                            {"model", model_json(item.model)},
                            {"budget", budget_value(item.budget)},
                            {"active_params", to_value(item.active_params)},
                            {"deviation", deviation_value(item.deviation)},
                            {"sparsity", to_value(item.sparsity)},
                            {"control", to_value(item.control.name)}});
}

JsonValue published_value(const PublishedRow& row) {
  return JsonValue::object({{"name", to_value(row.name)},
                            {"baseline", to_value(row.baseline)},
                            {"hidden_size", to_value(Count(row.hidden_size))},
                            {"num_experts", to_value(Count(row.num_experts))},
                            {"active_params_billion", JsonValue::number(row.active_params_billion)},
                            {"total_params_billion", JsonValue::number(row.total_params_billion)},
                            {"sparsity_percent", JsonValue::number(row.sparsity_percent)},
                            {"flops_ratio", JsonValue::number(row.flops_ratio)},
                            {"kv_ratio", JsonValue::number(row.kv_ratio)}});
}

JsonValue unmatched_value(const UnmatchedRow& row) {
  return JsonValue::object(
      {{"baseline", to_value(row.baseline)},
       {"rules", to_value(row.rules)},
       {"nearest", JsonValue::object({{"model", model_json(row.nearest.model)},
                                      {"budget", budget_value(row.nearest.budget)},
                                      {"deviation", deviation_value(row.nearest.deviation)}})}});
}

template <typename Item>
JsonValue array_of(const std::vector<Item>& items, JsonValue (*value)(const Item&)) {
  JsonValue::Array array;
  for (const Item& item : items) array.push_back(value(item));
  return JsonValue::array(std::move(array));
}

}  // namespace

std::string to_json(const GridResult& result) {
  JsonValue::Object members = result_members("grid");
  members.emplace_back("name", to_value(result.name));
  members.emplace_back("description", to_value(result.description));
  members.emplace_back("source", to_value(result.source));
  members.emplace_back("convention", to_value(result.convention.name));
  members.emplace_back("baselines", array_of(result.baselines, baseline_value));
  members.emplace_back("rows", array_of(result.rows, row_value));
  members.emplace_back("published", array_of(result.published, published_value));
  if (!result.unmatched.empty()) {
    members.emplace_back("unmatched", array_of(result.unmatched, unmatched_value));
  }
  members.emplace_back("worst", deviation_value(result.worst));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
