#include "io/result_parts.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "smelt/numbers.hpp"
#include "smelt/version.hpp"

namespace smelt {

JsonValue to_value(std::string_view text) { return JsonValue::string(std::string(text)); }

JsonValue to_value(Count count) { return JsonValue::number(std::to_string(count.value())); }

JsonValue to_value(double number) {
  assert(std::isfinite(number));
  return JsonValue::number(shortest(number));
}

JsonValue::Object result_members(std::string_view command) {
  return {{"schema", to_value(fmt::format("smelt/{}/1", command))},
          {"smelt", JsonValue::object({{"version", to_value(version())}})}};
}

JsonValue switches_value(const Convention& convention) {
  JsonValue::Object members;
  for (const auto& [name, value] : switches(convention)) {
    members.emplace_back(name, to_value(value));
  }
  return JsonValue::object(std::move(members));
}

JsonValue attribution_value(const std::vector<ComponentDeviation>& parts) {
  JsonValue::Object flops;
  JsonValue::Object params;
  for (const ComponentDeviation& part : parts) {
    flops.emplace_back(component_name(part.component), to_value(part.flops));
    params.emplace_back(component_name(part.component), to_value(part.params));
  }
  return JsonValue::object({{"flops", JsonValue::object(std::move(flops))},
                            {"params", JsonValue::object(std::move(params))}});
}

JsonValue budget_value(const Budget& budget) {
  return JsonValue::object({{"training_flops_per_token", to_value(budget.training_flops_per_token)},
                            {"non_embedding_params", to_value(budget.non_embedding_params)},
                            {"kv_elements_per_token", to_value(budget.kv_elements_per_token)}});
}

JsonValue deviation_value(const Deviation& deviation) {
  return JsonValue::object({{"flops", to_value(deviation.flops)},
                            {"params", to_value(deviation.params)},
                            {"kv", to_value(deviation.kv)}});
}

}  // namespace smelt
