#include "io/result_parts.hpp"
#include "io/search_design_json.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"
#include "smelt/space_file.hpp"

namespace smelt {
namespace {

JsonValue rows_value(const SearchSpace& space, const std::vector<SearchRow>& rows) {
  JsonValue::Array items;
  for (const SearchRow& row : rows) {
    const Candidate& candidate = row.design.candidate;
    items.push_back(
        JsonValue::object({{"model", model_json(row.model)},
                           {"effective_layers", to_value(Count(effective_layers(row.model)))},
                           {"budget", budget_value(candidate.budget)},
                           {"deviation", deviation_value(candidate.deviation)},
                           {"metrics", metrics_value(space, row.design.metrics)}}));
  }
  return JsonValue::array(std::move(items));
}

JsonValue legend_value(const SearchSpace& space) {
  JsonValue::Object members;
  for (const LegendEntry& entry : search_legend(space)) {
    members.emplace_back(entry.key, to_value(entry.meaning));
  }
  return JsonValue::object(std::move(members));
}

}  // namespace

std::string to_json(const SearchReport& report) {
  JsonValue::Object members = result_members("search");
  const auto add = [&](const char* key, JsonValue value) {
    members.emplace_back(key, std::move(value));
  };
  add("complete", JsonValue::boolean(report.complete()));
  add("blocks", JsonValue::object({{"all", to_value(Count(report.blocks))},
                                   {"done", to_value(Count(report.blocks_done))}}));
  add("counts", counts_value(report.counts));
  add("space_hash", to_value(space_hash(report.space)));
  add("space", space_json(report.space));
  add("baseline", budget_value(report.baseline));
  add("candidates", rows_value(report.space, report.candidates));
  add("pareto", rows_value(report.space, report.pareto));
  add("legend", legend_value(report.space));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
