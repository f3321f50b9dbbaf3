#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"

namespace smelt {

std::string to_json(const CompareResult& result) {
  JsonValue::Array rows;
  for (const CompareRow& row : result.rows) {
    rows.push_back(JsonValue::object({{"model", model_json(row.model)},
                                      {"budget", budget_value(row.budget)},
                                      {"deviation", deviation_value(row.deviation)},
                                      {"max_abs_deviation", to_value(row.deviation.max_abs())},
                                      {"sparsity", to_value(row.sparsity)}}));
  }
  JsonValue::Object members = result_members("compare");
  members.emplace_back("convention", to_value(result.convention.name));
  members.emplace_back("control", to_value(result.control.name));
  members.emplace_back("baseline",
                       JsonValue::object({{"model", model_json(result.baseline.model)},
                                          {"budget", budget_value(result.baseline.budget)},
                                          {"sparsity", to_value(result.baseline.sparsity)}}));
  members.emplace_back("rows", JsonValue::array(std::move(rows)));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
