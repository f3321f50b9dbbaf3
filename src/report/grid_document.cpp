#include <fmt/format.h>

#include <algorithm>

#include "report/budget_columns.hpp"
#include "smelt/dimensions.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

constexpr double kBillion = 1e9;

Cell billions_cell(Count value, int digits) {
  return {fmt::format("{:.{}f}", value.to_double() / kBillion, digits),
          std::to_string(value.value())};
}

Cell whole_cell(std::int64_t value) { return text_cell(std::to_string(value)); }

std::string heads_text(const Model& model) {
  const std::optional<HeadGeometry> heads = dimensions_of(model).heads;
  return heads ? fmt::format("{}/{}", heads->num_heads, heads->num_key_value_heads) : "";
}

/// The columns that a configuration table of models has in common.
template <typename Item>
std::vector<ColumnOf<Item>> configuration_columns() {
  return {
      {{"Model", "", "model", Align::kLeft},
       [](const Item& item) { return text_cell(item.model.name); }},
      {{"H", "", "hidden_size"},
       [](const Item& item) { return whole_cell(item.model.hidden_size); }},
      {{"E", "", "num_experts"},
       [](const Item& item) { return whole_cell(dimensions_of(item.model).num_experts); }},
  };
}

template <typename Item>
void append_budget_columns(std::vector<ColumnOf<Item>>& columns) {
  columns.push_back({{"Active", "B", "active_params"},
                     [](const Item& item) { return billions_cell(item.active_params, 3); }});
  columns.push_back({{"Total", "B", "non_embedding_params"}, [](const Item& item) {
                       return billions_cell(item.budget.non_embedding_params, 2);
                     }});
  columns.push_back(
      {{"S", "%", "sparsity"}, [](const Item& item) { return percent_cell(item.sparsity); }});
}

Table baseline_table(const GridResult& result) {
  auto columns = configuration_columns<BaselineRow>();
  columns.push_back({{"L", "", "num_hidden_layers"},
                     [](const BaselineRow& item) { return whole_cell(item.model.num_layers()); }});
  columns.push_back({{"Heads", "", "heads"},
                     [](const BaselineRow& item) { return text_cell(heads_text(item.model)); }});
  append_budget_columns(columns);
  columns.push_back({{"FLOPs", "/token", "training_flops_per_token"}, [](const BaselineRow& item) {
                       return rounded_cell(item.budget.training_flops_per_token);
                     }});
  columns.push_back({{"KV", "/token", "kv_elements_per_token"}, [](const BaselineRow& item) {
                       return count_cell(item.budget.kv_elements_per_token);
                     }});
  return tabulate("baselines", "Baselines", columns, result.baselines);
}

Table matched_table(const GridResult& result) {
  auto columns = configuration_columns<MatchedRow>();
  columns.push_back({{"Loop", "", "loop"},
                     [](const MatchedRow& item) { return text_cell(loop_text(item.model)); }});
  append_budget_columns(columns);
  append_deviation_columns(columns);
  return tabulate("matched", "Matched models, deviation from the Baseline of each", columns,
                  result.rows);
}

Table published_table(const GridResult& result) {
  const std::vector<ColumnOf<PublishedRow>> columns = {
      {{"Design", "", "model", Align::kLeft},
       [](const PublishedRow& row) { return text_cell(row.name); }},
      {{"H", "", "hidden_size"},
       [](const PublishedRow& row) { return whole_cell(row.hidden_size); }},
      {{"E", "", "num_experts"},
       [](const PublishedRow& row) { return whole_cell(row.num_experts); }},
      {{"Active", "B", "active_params_billion"},
       [](const PublishedRow& row) { return text_cell(row.active_params_billion); }},
      {{"Total", "B", "total_params_billion"},
       [](const PublishedRow& row) { return text_cell(row.total_params_billion); }},
      {{"S", "%", "sparsity_percent"},
       [](const PublishedRow& row) { return text_cell(row.sparsity_percent); }},
      {{"FLOPs", "ratio", "flops_ratio"},
       [](const PublishedRow& row) { return text_cell(row.flops_ratio); }},
      {{"KV", "ratio", "kv_ratio"},
       [](const PublishedRow& row) { return text_cell(row.kv_ratio); }},
  };
  return tabulate("published", "As published, not computed: no uniform geometry has these figures",
                  columns, result.published);
}

std::vector<std::string> notes(const GridResult& result) {
  std::vector<std::string> lines;
  for (const UnmatchedRow& row : result.unmatched) {
    const Deviation& nearest = row.nearest.deviation;
    lines.push_back(
        fmt::format("{}: no design within tolerance under rules '{}'; nearest {} / {} / {}",
                    row.baseline, row.rules, signed_percent(nearest.flops),
                    signed_percent(nearest.params), signed_percent(nearest.kv)));
  }
  if (!result.rows.empty()) {
    lines.push_back(
        fmt::format("Largest |deviation| over {} matched models: FLOPs {} %, params {} %, KV {} %",
                    result.rows.size(), percent(result.worst.flops), percent(result.worst.params),
                    percent(result.worst.kv)));
  }
  lines.push_back(fmt::format("FLOPs: {}: {}", result.convention.name, result.convention.rule));
  lines.emplace_back("S of a Baseline is measured against itself with E = k");
  if (std::any_of(result.rows.begin(), result.rows.end(),
                  [](const MatchedRow& row) { return row.own_control; })) {
    lines.emplace_back("S of the matched models is measured against their own family's control");
  }
  if (!result.source.empty()) lines.push_back("Source: " + result.source);
  return lines;
}

}  // namespace

Document to_document(const GridResult& result) {
  Document document;
  document.heading.push_back(result.description.empty() ? result.name : result.description);
  document.tables = {baseline_table(result)};
  if (!result.rows.empty()) document.tables.push_back(matched_table(result));
  if (!result.published.empty()) document.tables.push_back(published_table(result));
  document.notes = notes(result);
  return document;
}

}  // namespace smelt
