#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/attribution_notes.hpp"
#include "report/budget_columns.hpp"
#include "smelt/dimensions.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

/// A design with what stands in front of it: its rank, or the relaxation that admits it.
struct DesignRow {
  std::string label;
  std::string change;
  Dimensions dimensions;
  Deviation deviation;
};

Cell size_cell(std::int64_t value) { return text_cell(value == 0 ? "" : std::to_string(value)); }

DesignRow design_row(std::string label, const CompareRow& row, std::string change = {}) {
  return {std::move(label), std::move(change), dimensions_of(row.model), row.deviation};
}

void append_size_columns(std::vector<ColumnOf<DesignRow>>& columns) {
  columns.push_back({{"H", "", "hidden_size"},
                     [](const DesignRow& row) { return size_cell(row.dimensions.hidden_size); }});
  columns.push_back({{"E", "", "num_experts"},
                     [](const DesignRow& row) { return size_cell(row.dimensions.num_experts); }});
  columns.push_back({{"F", "", "moe_intermediate_size"},
                     [](const DesignRow& row) { return size_cell(row.dimensions.ffn_width); }});
}

/// Heads as "12/2 x 84" (query heads, key-value heads, head size), or the latent rank.
Cell heads_cell(const DesignRow& row) {
  if (const auto& heads = row.dimensions.heads) {
    return text_cell(
        fmt::format("{}/{} x {}", heads->num_heads, heads->num_key_value_heads, heads->head_dim));
  }
  const auto& ranks = row.dimensions.ranks;
  return text_cell(ranks ? fmt::format("rank {}", ranks->kv_lora_rank) : "");
}

Table design_table(const MatchReport& report) {
  std::vector<DesignRow> rows = {design_row("Baseline", report.baseline)};
  const auto& designs = report.feasible() ? report.candidates : report.nearest;
  for (const CompareRow& design : designs) {
    rows.push_back(design_row(std::to_string(rows.size()), design));
  }
  std::vector<ColumnOf<DesignRow>> columns = {
      {{report.feasible() ? "Match" : "Nearest", "", "rank", Align::kLeft},
       [](const DesignRow& row) { return text_cell(row.label); }}};
  append_size_columns(columns);
  columns.push_back({{"Heads", "q/kv x d", "heads"}, heads_cell});
  append_deviation_columns(columns);
  columns.push_back({{"Worst", "dev %", "max_abs_deviation"}, [](const DesignRow& row) {
                       const double worst = row.deviation.max_abs();
                       return Cell{percent(worst, 2), shortest(worst)};
                     }});
  Table table = tabulate("designs", "", columns, rows);
  if (table.rows.size() > 1) table.rows[1].after_rule = true;
  return table;
}

/// A rule's key within the width of a table, F's by the name that its flag has.
std::string short_rule(const std::string& key) {
  constexpr std::string_view kFfn = "moe_intermediate_size";
  return key.rfind(kFfn, 0) == 0 ? "ffn" + key.substr(kFfn.size()) : key;
}

Table relaxation_table(const MatchReport& report) {
  std::vector<DesignRow> rows;
  for (const RelaxationRow& row : report.relaxations) {
    rows.push_back(design_row(row.rule, row.design, fmt::format("{} -> {}", row.from, row.to)));
  }
  std::vector<ColumnOf<DesignRow>> columns = {
      {{"Rule", "", "rule", Align::kLeft},
       [](const DesignRow& row) {
         return Cell{short_rule(row.label), row.label};
       }},
      {{"Change", "", "change", Align::kLeft},
       [](const DesignRow& row) { return text_cell(row.change); }}};
  append_size_columns(columns);
  append_deviation_columns(columns);
  return tabulate("relaxations", "Any one of these changes alone admits a design", columns, rows);
}

std::string tolerance_text(const Tolerance& tolerance) {
  const auto text = [](const Rational& value) { return to_string(value * Rational(100)); };
  return fmt::format("FLOPs {} %, params {} %, KV {} %", text(tolerance.flops),
                     text(tolerance.params), text(tolerance.kv));
}

std::vector<std::string> heading(const MatchReport& report) {
  const Budget& budget = report.baseline.budget;
  const std::string loop = report.loop
                               ? fmt::format("loop {}-{}x{} ({} executed)", report.loop->start + 1,
                                             report.loop->start + report.loop->length,
                                             report.loop->visits, report.effective_layers)
                               : "no loop";
  return {fmt::format("{}: {} FLOPs/token, {} params, {} KV/token", report.baseline.model.name,
                      with_unit(budget.training_flops_per_token.to_double()),
                      with_unit(budget.non_embedding_params.to_double()),
                      with_separators(budget.kv_elements_per_token)),
          fmt::format("Design: {} layers, {}; rules {}, objective {}", report.num_layers, loop,
                      report.rules.name, objective_name(report.objective))};
}

/// The factor by which all tolerances would have to grow to admit the nearest point.
double tolerances_over(const MatchReport& report) {
  const Deviation& nearest = report.nearest.front().deviation;
  const Tolerance& tolerance = report.rules.tolerance;
  return std::max({std::abs(nearest.flops) / tolerance.flops.to_double(),
                   std::abs(nearest.params) / tolerance.params.to_double(),
                   std::abs(nearest.kv) / tolerance.kv.to_double()});
}

std::vector<std::string> verdict(const MatchReport& report) {
  const std::string tolerance = tolerance_text(report.rules.tolerance);
  if (report.feasible()) {
    return {fmt::format("optimal: the best of all {} designs within {}",
                        with_separators(report.certificate.feasible), tolerance)};
  }
  std::vector<std::string> lines = {fmt::format("infeasible: no design within {}", tolerance)};
  if (report.relaxations.empty() && !report.nearest.empty()) {
    lines.push_back(
        fmt::format("No single change helps; the nearest design needs {:.2f} times the tolerances",
                    tolerances_over(report)));
  }
  return lines;
}

std::vector<std::string> notes(const MatchReport& report) {
  const Certificate& c = report.certificate;
  std::vector<std::string> lines = verdict(report);
  if (report.feasible()) {
    for (std::string& line : attribution_notes({report.candidates.front()})) {
      lines.push_back(std::move(line));
    }
  }
  lines.push_back(fmt::format("Grid: {} points = {} within + {} beyond the KV tolerance",
                              with_separators(c.grid_points), with_separators(c.feasible),
                              with_separators(c.excluded_by_kv)));
  lines.push_back(fmt::format("  + {} beyond exact bounds on FLOPs and parameters",
                              with_separators(c.excluded_by_flops_or_params)));
  lines.push_back(fmt::format("FLOPs: {}: {}", report.convention.name, report.convention.rule));
  return lines;
}

}  // namespace

Document to_document(const MatchReport& report) {
  Document document{heading(report), {design_table(report)}, notes(report)};
  if (!report.relaxations.empty()) document.tables.push_back(relaxation_table(report));
  return document;
}

}  // namespace smelt
