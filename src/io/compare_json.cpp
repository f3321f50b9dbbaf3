#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

JsonValue conventions_value(const std::vector<ConventionMatch>& matches) {
  JsonValue::Array rows;
  for (const ConventionMatch& match : matches) {
    JsonValue::Object members;
    members.reserve(3);
    members.emplace_back("name", to_value(match.convention.name));
    if (match.deviation) {
      members.emplace_back("deviation", deviation_value(*match.deviation));
      members.emplace_back("holds", JsonValue::boolean(match.holds));
    } else {
      members.emplace_back("missing", to_value(match.missing));
    }
    rows.push_back(JsonValue::object(std::move(members)));
  }
  return JsonValue::array(std::move(rows));
}

JsonValue row_value(const CompareRow& row) {
  JsonValue::Object members = {{"model", model_json(row.model)},
                               {"budget", budget_value(row.budget)},
                               {"deviation", deviation_value(row.deviation)},
                               {"max_abs_deviation", to_value(row.deviation.max_abs())},
                               {"sparsity", to_value(row.sparsity)},
                               {"attribution", attribution_value(row.attribution)}};
  if (!row.conventions.empty()) {
    members.emplace_back("conventions", conventions_value(row.conventions));
  }
  return JsonValue::object(std::move(members));
}

}  // namespace

std::string to_json(const CompareResult& result) {
  JsonValue::Array rows;
  for (const CompareRow& row : result.rows) {
    rows.push_back(row_value(row));
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
