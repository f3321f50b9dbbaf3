#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
  std::optional<double> flops_share;  ///< absent where FLOPs are left out
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
    rows.push_back({title_of(c), stored, active, flops, {}});
  }
  rows.push_back(
      {"total", result.params.total, result.params.active_with_embeddings, all_flops, {}});
  if (all_flops == 0) return rows;
  for (ComponentRow& row : rows) row.flops_share = share(row.training_flops, all_flops);
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
       [](const ComponentRow& row) {
         return row.flops_share ? count_cell(row.training_flops) : Cell{"-", ""};
       }},
      {{"Share", "% FLOPs", "flops_share"},
       [](const ComponentRow& row) {
         return row.flops_share ? percent_cell(*row.flops_share) : Cell{"-", ""};
       }},
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

std::vector<Figure> training_figures(const CostResult& result) {
  if (!result.flops_missing.empty()) return {};
  return {
      {"Training FLOPs", "flops.training_per_token", count_cell(result.flops.training_per_token),
       "per token"},
      {"Forward FLOPs", "flops.forward_per_token", count_cell(result.flops.forward_per_token),
       "per token"},
      {"Compute-equivalent sparsity S",
       "sparsity.value",
       {percent(result.sparsity, 2), shortest(result.sparsity)},
       "%"},
  };
}

/// Figures that only some models have, or that were asked for.
std::vector<Figure> further_figures(const CostResult& result) {
  std::vector<Figure> further;
  if (result.params.mtp > 0) {
    further.push_back(
        {"Multi-token prediction, apart", "params.mtp", count_cell(result.params.mtp), ""});
  }
  if (result.kv_elements_per_token_unbounded != result.kv_elements_per_token) {
    further.push_back({"KV elements past every window", "kv.elements_per_token_unbounded",
                       count_cell(result.kv_elements_per_token_unbounded), "per token"});
  }
  if (result.kv_state_elements > 0) {
    further.push_back({"Linear-attention state elements", "kv.state_elements",
                       count_cell(result.kv_state_elements), "per sequence"});
  }
  if (const auto& kv = result.kv_at_context) {
    const std::string at = fmt::format("{} x {} tokens", kv->batch, kv->context);
    further.push_back(
        {"KV bytes needed", "kv.at_context.needed_bytes", count_cell(kv->needed_bytes), at});
    further.push_back({"KV bytes, full reserve", "kv.at_context.reserved_bytes",
                       count_cell(kv->reserved_bytes), at});
  }
  return further;
}

std::vector<Figure> figures(const CostResult& result) {
  const ParameterCounts& params = result.params;
  std::vector<Figure> all = {
      {"Non-embedding parameters", "params.non_embedding", count_cell(params.non_embedding), ""},
      {"Active parameters", "params.active", count_cell(params.active), ""},
      {"Executed active parameters", "params.executed_active", count_cell(params.executed_active),
       ""},
      {"KV cache elements", "kv.elements_per_token", count_cell(result.kv_elements_per_token),
       "per token"},
      {fmt::format("KV cache bytes ({})", kv_dtype_name(result.kv_dtype)), "kv.bytes_per_token",
       count_cell(result.kv_bytes_per_token), "per token"},
  };
  const std::vector<Figure> training = training_figures(result);
  all.insert(all.begin() + 3, training.begin(), training.end());
  const std::vector<Figure> further = further_figures(result);
  all.insert(all.end(), further.begin(), further.end());
  return all;
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
      result.flops_missing.empty() ? fmt::format("S is measured against {}", result.control.name)
                                   : fmt::format("FLOPs are left out: {}", result.flops_missing)};
  if (result.model.loop.kv != KvPolicy::kPerVisit) {
    lines.push_back(
        fmt::format("KV cache of looped layers: {}", kv_policy_name(result.model.loop.kv)));
  }
  if (result.model.vocab_size == 0) {
    lines.emplace_back("No vocab_size is stated: embedding and output head are not counted");
  }
  return lines;
}

Table convention_table(const std::vector<ConventionRow>& rows) {
  const Count first = rows.front().training_per_token.value_or(0);
  const std::vector<ColumnOf<ConventionRow>> columns = {
      {{"Convention", "", "convention", Align::kLeft},
       [](const ConventionRow& row) { return text_cell(row.convention.name); }},
      {{"Training", "FLOPs/token", "training_flops_per_token"},
       [](const ConventionRow& row) {
         return row.training_per_token ? count_cell(*row.training_per_token) : Cell{"-", ""};
       }},
      {{"To the first", "%", "gap"},
       [first](const ConventionRow& row) {
         if (!row.training_per_token || first == 0) return Cell{"-", ""};
         return signed_percent_cell(share(*row.training_per_token - first, first));
       }},
  };
  return tabulate("conventions", "Training FLOPs by convention", columns, rows);
}

/// One switch on the way from the first convention to another.
struct GapRow {
  std::string convention;
  SwitchEffect effect;
};

Table gap_table(const std::vector<ConventionRow>& rows) {
  std::vector<GapRow> gaps;
  for (const ConventionRow& row : rows) {
    for (const SwitchEffect& effect : row.gap) gaps.push_back({row.convention.name, effect});
  }
  const Count first = rows.front().training_per_token.value_or(1);
  const std::vector<ColumnOf<GapRow>> columns = {
      {{"Convention", "", "convention", Align::kLeft},
       [](const GapRow& row) { return text_cell(row.convention); }},
      {{"Switch", "", "switch", Align::kLeft},
       [](const GapRow& row) { return text_cell(row.effect.name); }},
      {{"From", "", "from", Align::kLeft},
       [](const GapRow& row) { return text_cell(row.effect.from); }},
      {{"To", "", "to", Align::kLeft}, [](const GapRow& row) { return text_cell(row.effect.to); }},
      {{"Adds", "%", "adds"},
       [first](const GapRow& row) {
         return signed_percent_cell(share(row.effect.flops, first), 3);
       }},
  };
  return tabulate("gaps", "The switch behind each gap", columns, gaps);
}

}  // namespace

Document to_document(const CostResult& result) {
  std::vector<Table> tables = {component_table(result), figure_table(result)};
  if (!result.conventions.empty()) {
    tables.push_back(convention_table(result.conventions));
    if (result.flops_missing.empty()) tables.push_back(gap_table(result.conventions));
  }
  return {model_summary(result.model), std::move(tables), notes(result)};
}

}  // namespace smelt
