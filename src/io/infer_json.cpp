#include "io/object_writer.hpp"
#include "io/result_parts.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kMostInJson = 1000;

JsonValue keys_value(const KeysRange& keys) {
  return JsonValue::array({to_value(Count(keys.lowest)), to_value(Count(keys.highest))});
}

JsonValue names_value(const std::vector<std::string>& names) {
  JsonValue::Array items;
  for (const std::string& name : names) items.push_back(to_value(name));
  return JsonValue::array(std::move(items));
}

JsonValue solution_value(const InferredSolution& solution) {
  const InferredGeometry& geometry = solution.geometry;
  ObjectWriter object;
  object.count("expert_ffn", geometry.expert_ffn);
  object.count("kv_width", geometry.kv_width);
  object.count("query_width", geometry.query_width);
  object.add("gated", JsonValue::boolean(geometry.gated()));
  object.count("shared_experts", geometry.shared_experts);
  object.add("attended_keys", keys_value(solution.keys));
  return object.take();
}

JsonValue conflict_value(const PrintedPlace& place) {
  return JsonValue::object({{"row", to_value(place.row)},
                            {"figure", to_value(printed_kind_name(place.kind))},
                            {"printed", to_value(place.printed)}});
}

JsonValue finding_value(const InferFinding& finding, const char* name_key, std::int64_t top) {
  ObjectWriter object;
  object.add(name_key, to_value(finding.name));
  if (std::string(name_key) == "family") {
    object.add("rows", names_value(finding.rows));
    object.add("left_out", names_value(finding.left_out));
  }
  object.add("status", to_value(finding_status(finding)));
  object.count("num_solutions", std::ssize(finding.solutions));
  object.add("complete", JsonValue::boolean(finding.complete));
  JsonValue::Array solutions;
  for (const InferredSolution& solution : finding.solutions) {
    if (std::ssize(solutions) == top) break;
    solutions.push_back(solution_value(solution));
  }
  object.add("solutions", JsonValue::array(std::move(solutions)));
  JsonValue::Array conflicts;
  for (const PrintedPlace& place : finding.conflicts) conflicts.push_back(conflict_value(place));
  object.add("conflicts", JsonValue::array(std::move(conflicts)));
  return object.take();
}

JsonValue findings_value(const std::vector<InferFinding>& findings, const char* name_key,
                         std::int64_t top) {
  JsonValue::Array items;
  for (const InferFinding& finding : findings) {
    items.push_back(finding_value(finding, name_key, top));
  }
  return JsonValue::array(std::move(items));
}

JsonValue range_value(const StepRange& range) {
  ObjectWriter object;
  object.count("multiple_of", range.multiple_of);
  if (range.lowest) object.count("min", *range.lowest);
  if (range.highest) object.count("max", *range.highest);
  return object.take();
}

JsonValue domain_value(const InferDomain& domain) {
  JsonValue::Array gated;
  for (const std::int64_t matrices : domain.matrices) {
    gated.push_back(JsonValue::boolean(matrices == kGatedMatrices));
  }
  ObjectWriter object;
  object.add("expert_ffn", range_value(domain.expert_ffn));
  object.add("kv_width", range_value(domain.kv_width));
  object.add("query_width",
             domain.query_width ? range_value(*domain.query_width) : to_value("hidden"));
  object.add("gated", JsonValue::array(std::move(gated)));
  object.count("most_shared_experts", domain.most_shared_experts);
  object.add("attended_keys", keys_value({domain.lowest_keys, domain.highest_keys}));
  return object.take();
}

}  // namespace

std::string to_json(const InferReport& report) {
  const InferResult& result = report.result;
  const std::int64_t top = report.top.value_or(kMostInJson);
  JsonValue::Object members = result_members("infer");
  members.emplace_back("source", to_value(result.source));
  members.emplace_back("convention", to_value(result.convention.name));
  members.emplace_back("domain", domain_value(result.domain));
  members.emplace_back("rows", findings_value(result.rows, "row", top));
  members.emplace_back("joint", findings_value(result.families, "family", top));
  if (result.keys) members.emplace_back("attended_keys", keys_value(*result.keys));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
