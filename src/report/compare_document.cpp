#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/attribution_notes.hpp"
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

/// One candidate under one convention.
struct MatchLine {
  std::string model;
  ConventionMatch match;
};

Table convention_table(const CompareResult& result) {
  std::vector<MatchLine> lines;
  for (const CompareRow& row : result.rows) {
    for (const ConventionMatch& match : row.conventions) lines.push_back({row.model.name, match});
  }
  const std::vector<ColumnOf<MatchLine>> columns = {
      {{"Model", "", "model", Align::kLeft},
       [](const MatchLine& line) { return text_cell(line.model); }},
      {{"Convention", "", "convention", Align::kLeft},
       [](const MatchLine& line) { return text_cell(line.match.convention.name); }},
      {{"FLOPs", "dev %", "flops_deviation"},
       [](const MatchLine& line) {
         return line.match.deviation ? deviation_cell(line.match.deviation->flops) : Cell{"-", ""};
       }},
      {{"Match", "", "holds", Align::kLeft},
       [](const MatchLine& line) {
         if (!line.match.deviation) return Cell{"-", line.match.missing};
         return text_cell(line.match.holds ? "holds" : "fails");
       }},
  };
  return tabulate("conventions", "Does the match hold under each convention?", columns, lines);
}

/// Why some conventions count nothing, each reason once.
std::vector<std::string> missing_notes(const CompareResult& result) {
  std::vector<std::string> notes;
  for (const CompareRow& row : result.rows) {
    for (const ConventionMatch& match : row.conventions) {
      if (match.missing.empty()) continue;
      std::string note = "-: " + match.missing.substr(0, match.missing.find(';'));
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(std::move(note));
      }
    }
  }
  return notes;
}

}  // namespace

Document to_document(const CompareResult& result) {
  std::vector<CompareRow> rows = {result.baseline};
  rows.insert(rows.end(), result.rows.begin(), result.rows.end());
  Table table = tabulate("compare", "", compare_columns(), rows);
  if (rows.size() > 1) table.rows[1].after_rule = true;
  std::vector<std::string> notes = {
      fmt::format("FLOPs: {}: {}", result.convention.name, result.convention.rule),
      "Params: non-embedding. KV: cache elements",
      fmt::format("S is measured against {}", result.control.name)};
  for (std::string& note : attribution_notes(result.rows)) notes.push_back(std::move(note));
  for (std::string& note : missing_notes(result)) notes.push_back(std::move(note));
  std::vector<Table> tables = {std::move(table)};
  if (!result.rows.empty() && !result.rows.front().conventions.empty()) {
    tables.push_back(convention_table(result));
  }
  return {{fmt::format("Deviation from {}", result.baseline.model.name)},
          std::move(tables),
          std::move(notes)};
}

}  // namespace smelt
