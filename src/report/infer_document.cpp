#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kMostInDocument = 3;

/// A solution of a finding, or the finding itself where it has none.
struct SolutionRow {
  const InferFinding* finding = nullptr;
  const InferredSolution* solution = nullptr;
};

std::string status_text(const InferFinding& finding) {
  std::string status(finding_status(finding));
  if (finding.solutions.size() < 2) return status;
  return fmt::format("{} ({}{})", status, finding.complete ? "" : "over ",
                     with_separators(std::ssize(finding.solutions)));
}

std::vector<SolutionRow> solution_rows(const std::vector<InferFinding>& findings,
                                       std::int64_t top) {
  std::vector<SolutionRow> rows;
  for (const InferFinding& finding : findings) {
    if (finding.solutions.empty()) rows.push_back({&finding, nullptr});
    for (const InferredSolution& solution : finding.solutions) {
      if (&solution - finding.solutions.data() == top) break;
      rows.push_back({&finding, &solution});
    }
  }
  return rows;
}

/// A column of the geometry, empty where there is no solution.
ColumnOf<SolutionRow> size_column(Column column, std::int64_t InferredGeometry::*size) {
  return {std::move(column), [size](const SolutionRow& row) {
            return text_cell(row.solution != nullptr ? std::to_string(row.solution->geometry.*size)
                                                     : std::string());
          }};
}

std::string keys_text(const KeysRange& keys) {
  return keys.lowest == keys.highest ? std::to_string(keys.lowest)
                                     : fmt::format("{}-{}", keys.lowest, keys.highest);
}

/// The keys of a solution, "any" for all that the domain has.
Cell keys_cell(const SolutionRow& row, const InferDomain& domain) {
  if (row.solution == nullptr) return text_cell("");
  const KeysRange& keys = row.solution->keys;
  const bool any = keys == KeysRange{domain.lowest_keys, domain.highest_keys};
  return {any ? "any" : keys_text(keys), keys_text(keys)};
}

Table findings_table(std::string key, std::string title, Column name,
                     const std::vector<InferFinding>& findings, const InferReport& report) {
  const std::vector<ColumnOf<SolutionRow>> columns = {
      {std::move(name), [](const SolutionRow& row) { return text_cell(row.finding->name); }},
      {{"Fits", "", "status", Align::kLeft},
       [](const SolutionRow& row) {
         return Cell{status_text(*row.finding), std::string(finding_status(*row.finding))};
       }},
      size_column({"F", "", "expert_ffn"}, &InferredGeometry::expert_ffn),
      size_column({"KV", "width", "kv_width"}, &InferredGeometry::kv_width),
      size_column({"Query", "width", "query_width"}, &InferredGeometry::query_width),
      {{"FFN", "", "gated", Align::kLeft},
       [](const SolutionRow& row) {
         if (row.solution == nullptr) return text_cell("");
         const bool gated = row.solution->geometry.gated();
         return Cell{gated ? "gated" : "plain", gated ? "true" : "false"};
       }},
      size_column({"Shared", "", "shared_experts"}, &InferredGeometry::shared_experts),
      {{"Attended", "keys", "attended_keys"},
       [&](const SolutionRow& row) { return keys_cell(row, report.result.domain); }}};
  return tabulate(std::move(key), std::move(title), columns,
                  solution_rows(findings, report.top.value_or(kMostInDocument)));
}

struct ConflictRow {
  const InferFinding* finding = nullptr;
  const PrintedPlace* place = nullptr;
};

Table conflict_table(const InferResult& result) {
  std::vector<ConflictRow> rows;
  for (const std::vector<InferFinding>* list : {&result.families, &result.rows}) {
    for (const InferFinding& finding : *list) {
      // A family without rows of its own has its rows' conflicts, which stand below.
      if (list == &result.families && finding.rows.empty()) continue;
      for (const PrintedPlace& place : finding.conflicts) rows.push_back({&finding, &place});
    }
  }
  const std::vector<ColumnOf<ConflictRow>> columns = {
      {{"Fits nothing", "", "name", Align::kLeft},
       [](const ConflictRow& row) { return text_cell(row.finding->name); }},
      {{"Clash", "of row", "row", Align::kLeft},
       [](const ConflictRow& row) { return text_cell(row.place->row); }},
      {{"Figure", "", "figure", Align::kLeft},
       [](const ConflictRow& row) {
         return text_cell(std::string(printed_kind_name(row.place->kind)));
       }},
      {{"Printed", "", "printed"},
       [](const ConflictRow& row) { return text_cell(row.place->printed); }}};
  return tabulate("conflicts", "Smallest sets of figures that no geometry has together", columns,
                  rows);
}

std::string range_text(const StepRange& range, std::string_view highest) {
  return fmt::format("multiples of {} from {} to {}", range.multiple_of,
                     range.lowest.value_or(range.multiple_of),
                     range.highest ? std::to_string(*range.highest) : std::string(highest));
}

bool is_complete(const InferResult& result) {
  const auto complete = [](const InferFinding& finding) { return finding.complete; };
  return std::all_of(result.rows.begin(), result.rows.end(), complete) &&
         std::all_of(result.families.begin(), result.families.end(), complete);
}

std::vector<std::string> notes(const InferResult& result) {
  const InferDomain& domain = result.domain;
  std::vector<std::string> lines;
  for (const InferFinding& finding : result.families) {
    if (finding.rows.empty()) continue;
    for (const std::string& row : finding.left_out) {
      lines.push_back(fmt::format("{} leaves out {}, which fits nothing", finding.name, row));
    }
  }
  if (result.keys && !(*result.keys == KeysRange{domain.lowest_keys, domain.highest_keys})) {
    lines.push_back("All families that fit share one kind of FFN and attended keys of " +
                    keys_text(*result.keys));
  }
  if (!result.keys) {
    lines.emplace_back("No kind of FFN and number of attended keys fits all families at once");
  }
  lines.push_back(std::string(is_complete(result) ? "Looked at, completely: F "
                                                  : "Looked at, until too many fitted: F ") +
                  range_text(domain.expert_ffn, "8 H"));
  lines.push_back("  KV width " + range_text(domain.kv_width, "the query width") + ", dividing it");
  lines.push_back("  query width " +
                  (domain.query_width ? range_text(*domain.query_width, "2 H") : std::string("H")) +
                  fmt::format(", at most {} shared experts", domain.most_shared_experts));
  lines.push_back(fmt::format("  attended keys from {} to {}", with_separators(domain.lowest_keys),
                              with_separators(domain.highest_keys)));
  lines.push_back(fmt::format("FLOPs: {}: {}", result.convention.name, result.convention.rule));
  return lines;
}

}  // namespace

Document to_document(const InferReport& report) {
  const InferResult& result = report.result;
  Document document;
  if (!result.source.empty()) document.heading.push_back(result.source);
  document.tables = {
      findings_table("joint", "Jointly, all rows of a family",
                     {"Family", "", "family", Align::kLeft}, result.families, report),
      findings_table("rows", "Row by row", {"Row", "", "row", Align::kLeft}, result.rows, report)};
  if (!result.all_fit()) document.tables.push_back(conflict_table(result));
  document.notes = notes(result);
  return document;
}

}  // namespace smelt
