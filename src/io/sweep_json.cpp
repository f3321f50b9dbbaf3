#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"
#include "smelt/rules_file.hpp"

namespace smelt {
namespace {

JsonValue row_value(const SweepRow& row) {
  JsonValue::Object members = {
      {"value", to_value(Count(row.value))},
      {"status", to_value(row.feasible ? "optimal" : "infeasible")},
      {"model", model_json(row.design.model)},
      {"budget", budget_value(row.design.budget)},
      {"deviation", deviation_value(row.design.deviation)},
      {"max_abs_deviation", to_value(row.design.deviation.max_abs())},
      {"sparsity", to_value(row.design.sparsity)},
      {"effective_layers", to_value(Count(row.effective_layers))},
      {"effective_depth_to_width", to_value(row.effective_depth_to_width())}};
  if (row.loss) {
    members.emplace_back("loss", to_value(*row.loss));
    members.emplace_back("lowest_loss", JsonValue::boolean(row.lowest_loss));
  }
  return JsonValue::object(std::move(members));
}

}  // namespace

std::string to_json(const SweepResult& result) {
  JsonValue::Object members = result_members("sweep");
  members.emplace_back("axis", to_value(sweep_axis_name(result.axis)));
  members.emplace_back("objective", to_value(objective_name(result.objective)));
  members.emplace_back("convention", to_value(result.convention.name));
  members.emplace_back("baseline",
                       JsonValue::object({{"model", model_json(result.baseline.model)},
                                          {"budget", budget_value(result.baseline.budget)},
                                          {"sparsity", to_value(result.baseline.sparsity)}}));
  members.emplace_back("rules", rules_json(result.rules));
  JsonValue::Array rows;
  for (const SweepRow& row : result.rows) rows.push_back(row_value(row));
  members.emplace_back("rows", JsonValue::array(std::move(rows)));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
