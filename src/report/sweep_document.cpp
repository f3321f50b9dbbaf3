#include <fmt/format.h>

#include <algorithm>

#include "report/budget_columns.hpp"
#include "smelt/dimensions.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

/// A swept row, or the Baseline in front of them.
struct SweptLine {
  const SweepRow* row = nullptr;  ///< null for the Baseline
  const CompareRow* design = nullptr;
  std::int64_t effective_layers = 0;
  Deviation deviation;
};

const char* axis_title(SweepAxis axis) {
  switch (axis) {
    case SweepAxis::kSpan:
      return "Looped layers";
    case SweepAxis::kDepth:
      return "Physical layers";
    case SweepAxis::kVisits:
      return "Visits";
    case SweepAxis::kPosition:
      return "First looped layer";
    case SweepAxis::kExperts:
      break;
  }
  return "Routed experts";
}

Cell value_cell(const SweptLine& line) {
  return line.row != nullptr ? text_cell(std::to_string(line.row->value))
                             : Cell{"Base", "baseline"};
}

Cell status_cell(const SweptLine& line) {
  if (line.row == nullptr) return text_cell("");
  return line.row->feasible ? Cell{"yes", "optimal"} : Cell{"no", "infeasible"};
}

ColumnOf<SweptLine> size_column(const char* title, const char* key,
                                std::int64_t (*size)(const Dimensions&)) {
  return {{title, "", key}, [size](const SweptLine& line) {
            return text_cell(std::to_string(size(dimensions_of(line.design->model))));
          }};
}

/// "12/2", the head size in the exact form alone.
Cell heads_cell(const SweptLine& line) {
  const auto heads = dimensions_of(line.design->model).heads;
  if (!heads) return text_cell("");
  return {fmt::format("{}/{}", heads->num_heads, heads->num_key_value_heads),
          fmt::format("{}/{} x {}", heads->num_heads, heads->num_key_value_heads, heads->head_dim)};
}

/// Effective layers for each thousand of hidden size.
Cell depth_to_width_cell(const SweptLine& line) {
  const double ratio = static_cast<double>(line.effective_layers) /
                       static_cast<double>(line.design->model.hidden_size);
  return {fmt::format("{:.2f}", 1000 * ratio), shortest(ratio)};
}

Cell loss_cell(const SweptLine& line) {
  if (line.row == nullptr || !line.row->loss) return text_cell("");
  return {fmt::format("{:.4f}", *line.row->loss), shortest(*line.row->loss)};
}

Cell lowest_loss_cell(const SweptLine& line) {
  if (line.row == nullptr || !line.row->loss) return text_cell("");
  return line.row->lowest_loss ? Cell{"*", "true"} : Cell{"", "false"};
}

bool has_losses(const SweepResult& result) {
  return std::any_of(result.rows.begin(), result.rows.end(),
                     [](const SweepRow& row) { return row.loss.has_value(); });
}

Table sweep_table(const SweepResult& result) {
  std::vector<SweptLine> lines = {
      {nullptr, &result.baseline, effective_layers(result.baseline.model), {}}};
  for (const SweepRow& row : result.rows) {
    lines.push_back({&row, &row.design, row.effective_layers, row.design.deviation});
  }
  std::vector<ColumnOf<SweptLine>> columns = {
      {{"Value", "", "value"}, value_cell},
      {{"Fits", "", "status", Align::kLeft}, status_cell},
      size_column("H", "hidden_size", [](const Dimensions& d) { return d.hidden_size; }),
      size_column("E", "num_experts", [](const Dimensions& d) { return d.num_experts; }),
      size_column("F", "moe_intermediate_size", [](const Dimensions& d) { return d.ffn_width; }),
      {{"q/kv", "", "heads"}, heads_cell},
      {{"Exec.", "", "effective_layers"},
       [](const SweptLine& line) { return text_cell(std::to_string(line.effective_layers)); }},
      {{"Depth", "/H", "effective_depth_to_width"}, depth_to_width_cell}};
  append_deviation_columns(columns);
  if (has_losses(result)) {
    columns.push_back({{"Loss", "", "loss"}, loss_cell});
    columns.push_back({{"", "", "lowest_loss"}, lowest_loss_cell});
  }
  Table table = tabulate("sweep", "", columns, lines);
  if (table.rows.size() > 1) table.rows[1].after_rule = true;
  return table;
}

std::vector<std::string> notes(const SweepResult& result) {
  std::vector<std::string> lines;
  if (!result.all_feasible()) {
    lines.emplace_back("Fits no: no design within tolerance; the nearest is shown");
  }
  if (has_losses(result)) lines.emplace_back("*: the lowest loss of the sweep");
  lines.emplace_back("Depth /H: executed layers over hidden size, times 1000");
  lines.push_back(fmt::format("FLOPs: {}: {}", result.convention.name, result.convention.rule));
  return lines;
}

}  // namespace

Document to_document(const SweepResult& result) {
  const Tolerance& tolerance = result.rules.tolerance;
  const auto text = [](const Rational& value) { return to_string(value * Rational(100)); };
  return {{fmt::format("{} of designs matched to {}, one for each value", axis_title(result.axis),
                       result.baseline.model.name),
           fmt::format("Rules {}, objective {}: FLOPs {} %, params {} %, KV {} %",
                       result.rules.name, objective_name(result.objective), text(tolerance.flops),
                       text(tolerance.params), text(tolerance.kv))},
          {sweep_table(result)},
          notes(result)};
}

}  // namespace smelt
