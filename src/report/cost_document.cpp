#include <fmt/format.h>

#include <algorithm>

#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

/// A component's counts: one row of the component table.
struct ComponentRow {
  std::string name;
  Count stored;
  Count active;
  Count training_flops;
  double flops_share = 0;
};

std::string title_of(Component component) {
  std::string name(component_name(component));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

double share(Count part, Count whole) { return part.to_double() / whole.to_double(); }

std::vector<ComponentRow> component_rows(const CostResult& result) {
  std::vector<ComponentRow> rows;
  const Count all_flops = result.flops.training_per_token;
  for (const Component c : kAllComponents) {
    const bool embeds = c == Component::kEmbedding || c == Component::kOutputHead;
    const Count stored = result.params.components[c];
    const Count active = embeds ? stored : result.params.active_components[c];
    const Count flops = result.flops.training_components[c];
    if (stored == 0 && flops == 0) continue;
    rows.push_back({title_of(c), stored, active, flops, share(flops, all_flops)});
  }
  rows.push_back(
      {"total", result.params.total, result.params.active_with_embeddings, all_flops, 1});
  return rows;
}

Table component_table(const CostResult& result) {
  const std::vector<ColumnOf<ComponentRow>> columns = {
      {{"Component", "", "component", Align::kLeft},
       [](const ComponentRow& row) { return text_cell(row.name); }},
      {{"Stored", "parameters", "params"},
       [](const ComponentRow& row) { return count_cell(row.stored); }},
      {{"Active", "parameters", "active_params"},
       [](const ComponentRow& row) { return count_cell(row.active); }},
      {{"Training", "FLOPs/token", "training_flops_per_token"},
       [](const ComponentRow& row) { return count_cell(row.training_flops); }},
      {{"Share", "% FLOPs", "flops_share"},
       [](const ComponentRow& row) { return percent_cell(row.flops_share); }},
  };
  Table table = tabulate("components", "", columns, component_rows(result));
  table.rows.back().after_rule = true;
  return table;
}

/// A figure of the whole model: its name for people, its JSON key, its value.
struct Figure {
  std::string title;
  std::string key;
  Cell value;
  std::string unit;
};

std::vector<Figure> figures(const CostResult& result) {
  const ParameterCounts& params = result.params;
  return {
      {"Non-embedding parameters", "params.non_embedding", count_cell(params.non_embedding), ""},
      {"Active parameters", "params.active", count_cell(params.active), ""},
      {"Executed active parameters", "params.executed_active", count_cell(params.executed_active),
       ""},
      {"Training FLOPs", "flops.training_per_token", count_cell(result.flops.training_per_token),
       "per token"},
      {"Forward FLOPs", "flops.forward_per_token", count_cell(result.flops.forward_per_token),
       "per token"},
      {"KV cache elements", "kv.elements_per_token", count_cell(result.kv_elements_per_token),
       "per token"},
      {fmt::format("KV cache bytes ({})", kv_dtype_name(result.kv_dtype)), "kv.bytes_per_token",
       count_cell(result.kv_bytes_per_token), "per token"},
      {"Compute-equivalent sparsity S",
       "sparsity.value",
       {percent(result.sparsity, 2), shortest(result.sparsity)},
       "%"},
  };
}

Table figure_table(const CostResult& result) {
  const std::vector<ColumnOf<Figure>> columns = {
      {{"Whole model", "", "figure", Align::kLeft},
       [](const Figure& figure) {
         return Cell{figure.title, figure.key};
       }},
      {{"Value", "", "value"}, [](const Figure& figure) { return figure.value; }},
      {{"", "", "unit", Align::kLeft},
       [](const Figure& figure) {
         return Cell{figure.unit, figure.unit == "%" ? "" : figure.unit};
       }},
  };
  return tabulate("figures", "", columns, figures(result));
}

std::vector<std::string> notes(const CostResult& result) {
  std::vector<std::string> lines = {
      fmt::format("FLOPs: {}: {}", result.convention.name, result.convention.rule),
      fmt::format("S is measured against {}", result.control.name)};
  if (result.model.loop.kv != KvPolicy::kPerVisit) {
    lines.push_back(
        fmt::format("KV cache of looped layers: {}", kv_policy_name(result.model.loop.kv)));
  }
  if (result.model.vocab_size == 0) {
    lines.emplace_back("No vocab_size is stated: embedding and output head are not counted");
  }
  return lines;
}

}  // namespace

Document to_document(const CostResult& result) {
  return {
      model_summary(result.model), {component_table(result), figure_table(result)}, notes(result)};
}

}  // namespace smelt
