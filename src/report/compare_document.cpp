#include <fmt/format.h>

#include "report/budget_columns.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

std::vector<ColumnOf<CompareRow>> compare_columns() {
  std::vector<ColumnOf<CompareRow>> columns = {
      {{"Model", "", "model", Align::kLeft},
       [](const CompareRow& row) { return text_cell(row.model.name); }},
      {{"FLOPs", "/token", "training_flops_per_token"},
       [](const CompareRow& row) { return rounded_cell(row.budget.training_flops_per_token); }},
      {{"Params", "", "non_embedding_params"},
       [](const CompareRow& row) { return rounded_cell(row.budget.non_embedding_params); }},
      {{"KV", "/token", "kv_elements_per_token"},
       [](const CompareRow& row) { return count_cell(row.budget.kv_elements_per_token); }},
  };
  append_deviation_columns(columns);
  columns.push_back({{"Worst", "dev %", "max_abs_deviation"}, [](const CompareRow& row) {
                       const double worst = row.deviation.max_abs();
                       return Cell{percent(worst, 2), shortest(worst)};
                     }});
  columns.push_back(
      {{"S", "%", "sparsity"}, [](const CompareRow& row) { return percent_cell(row.sparsity); }});
  return columns;
}

}  // namespace

Document to_document(const CompareResult& result) {
  std::vector<CompareRow> rows = {result.baseline};
  rows.insert(rows.end(), result.rows.begin(), result.rows.end());
  Table table = tabulate("compare", "", compare_columns(), rows);
  if (rows.size() > 1) table.rows[1].after_rule = true;
  return {{fmt::format("Deviation from {}", result.baseline.model.name)},
          {std::move(table)},
          {fmt::format("FLOPs: {}: {}", result.convention.name, result.convention.rule),
           "Params: non-embedding. KV: cache elements",
           fmt::format("S is measured against {}", result.control.name)}};
}

}  // namespace smelt
