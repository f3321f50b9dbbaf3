#include <fmt/format.h>

#include <algorithm>

#include "report/budget_columns.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"
#include "smelt/search_report.hpp"

namespace smelt {
namespace {

/// A row with its rank.
struct RankedRow {
  std::size_t rank;
  const SearchRow* row;
  Dimensions dimensions;
  Deviation deviation;
};

/// Heads as "12/2 x 84" (query heads, key-value heads, head size), or the latent rank.
Cell heads_cell(const RankedRow& row) {
  if (const auto& heads = row.dimensions.heads) {
    return text_cell(
        fmt::format("{}/{} x {}", heads->num_heads, heads->num_key_value_heads, heads->head_dim));
  }
  const auto& ranks = row.dimensions.ranks;
  return text_cell(ranks ? fmt::format("rank {}", ranks->kv_lora_rank) : "");
}

Cell size_cell(std::int64_t value) { return text_cell(value == 0 ? "" : std::to_string(value)); }

Cell metric_cell(Metric metric, double value) {
  const std::string exact = shortest(value);
  switch (metric) {
    case Metric::kMaxAbsDeviation:
      return {percent(value, 2), exact};
    case Metric::kEffectiveDepthToWidth:
      return {fmt::format("{:.2f}", 1000 * value), exact};
    case Metric::kFfnRatioDistance:
    case Metric::kTileFill:
      return {percent(value, 1), exact};
    case Metric::kPredictedTimeRatio:
      return {fmt::format("{:.2f}", value), exact};
    case Metric::kRowsPerExpert:
      return {fmt::format("{:.0f}", value), exact};
    case Metric::kExpertParallelDivisible:
      break;
  }
  return text_cell(value == 1 ? "1" : "0");
}

std::vector<ColumnOf<RankedRow>> columns_of(const SearchSpace& space) {
  std::vector<ColumnOf<RankedRow>> columns = {{{"#", "", "rank"}, [](const RankedRow& row) {
                                                 return text_cell(std::to_string(row.rank));
                                               }}};
  const auto add = [&](const char* title, const char* key, auto value) {
    columns.push_back(
        {{title, "", key}, [value](const RankedRow& row) { return size_cell(value(row)); }});
  };
  if (space.num_hidden_layers.size() > 1) {
    add("L", "num_hidden_layers", [](const RankedRow& r) { return r.row->model.num_layers(); });
  }
  columns.push_back({{"Loop", "", "loop"},
                     [](const RankedRow& row) { return text_cell(loop_text(row.row->model)); }});
  if (space.num_experts_per_tok.size() > 1) {
    add("k", "num_experts_per_tok", [](const RankedRow& r) { return r.row->num_experts_per_tok; });
  }
  add("H", "hidden_size", [](const RankedRow& r) { return r.dimensions.hidden_size; });
  add("E", "num_experts", [](const RankedRow& r) { return r.dimensions.num_experts; });
  add("F", "moe_intermediate_size", [](const RankedRow& r) { return r.dimensions.ffn_width; });
  columns.push_back({{"Heads", "q/kv x d", "heads"}, heads_cell});
  for (const Metric metric : reported_metrics(space)) {
    const MetricInfo& info = info_of(metric);
    columns.push_back({{std::string(info.title), std::string(info.unit), std::string(info.key)},
                       [metric](const RankedRow& row) {
                         return metric_cell(
                             metric, row.row->design.metrics[static_cast<std::size_t>(metric)]);
                       }});
  }
  return columns;
}

Table design_table(const char* key, const std::string& title, const SearchSpace& space,
                   const std::vector<SearchRow>& rows) {
  std::vector<RankedRow> ranked;
  for (const SearchRow& row : rows) {
    const Candidate& candidate = row.design.candidate;
    ranked.push_back({ranked.size() + 1, &row, candidate.dimensions, candidate.deviation});
  }
  return tabulate(key, title, columns_of(space), ranked);
}

std::string pareto_title(const SearchSpace& space) {
  std::string text = "Pareto front";
  for (const ParetoMetric& asked : space.pareto) {
    text += fmt::format("{}{} {}", text == "Pareto front" ? ": " : ", ",
                        info_of(asked.metric).title, asked.higher_is_better ? "high" : "low");
  }
  return text;
}

std::string range_text(const std::vector<std::int64_t>& values, std::int64_t otherwise) {
  if (values.empty()) return std::to_string(otherwise);
  if (values.size() == 1) return std::to_string(values.front());
  return fmt::format("{} to {}", values.front(), values.back());
}

std::vector<std::string> heading(const SearchReport& report) {
  const SearchSpace& space = report.space;
  std::vector<std::string> lines = {
      fmt::format("{}: {} points, {} within tolerance", space.name,
                  with_separators(report.counts.grid_points),
                  with_separators(report.counts.feasible)),
      fmt::format("{}, {} layers, {} stacks; rules {}, objective {}", space.baseline.name,
                  range_text(space.num_hidden_layers, space.baseline.num_layers()),
                  with_separators(report.stacks),
                  space.rules.name.empty() ? "of the space" : space.rules.name,
                  objective_name(space.objective))};
  if (!report.complete()) {
    lines.push_back(fmt::format("INCOMPLETE: stopped after {} of {} blocks",
                                with_separators(report.blocks_done),
                                with_separators(report.blocks)));
  }
  return lines;
}

std::vector<std::string> notes(const SearchReport& report) {
  std::vector<std::string> lines;
  if (report.complete()) {
    lines.emplace_back(
        "complete: every point of the space was evaluated or excluded by exact bounds");
  }
  for (const LegendEntry& entry : search_legend(report.space)) {
    lines.push_back(fmt::format("{}: {}", entry.title, entry.meaning));
  }
  const Convention& convention = report.space.convention;
  lines.push_back(fmt::format("FLOPs: {}: {}", convention.name, convention.rule));
  return lines;
}

}  // namespace

Document to_document(const SearchReport& report) {
  Document document{heading(report),
                    {design_table("candidates", "", report.space, report.candidates)},
                    notes(report)};
  if (!report.space.pareto.empty()) {
    document.tables.push_back(
        design_table("pareto", pareto_title(report.space), report.space, report.pareto));
  }
  return document;
}

}  // namespace smelt
