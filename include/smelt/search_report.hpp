#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "smelt/search.hpp"

namespace smelt {

/// A design as it is reported: built as a model with its name.
struct SearchRow {
  Model model;
  std::int64_t num_experts_per_tok = 0;  ///< 0 where no layer routes
  SearchDesign design;
};

/// One line of a legend: a column or key, and what it says.
struct LegendEntry {
  std::string key;    ///< in JSON and CSV
  std::string title;  ///< in tables
  std::string meaning;
};

/// A search as it is reported.
struct SearchReport {
  SearchSpace space;
  Budget baseline;
  SearchCounts counts;
  std::int64_t stacks = 0;
  std::int64_t blocks = 0;
  std::int64_t blocks_done = 0;
  std::vector<SearchRow> candidates;  ///< best first
  std::vector<SearchRow> pareto;      ///< in the order of the objective

  [[nodiscard]] bool complete() const { return blocks_done == blocks; }
};

SearchReport report_search(const SearchSpace& space, const SearchResult& result);

/// Whether the space states the figures that a metric stands on.
bool is_reported(const SearchSpace& space, const MetricInfo& metric);
/// The metrics that the space states the figures for, in their order.
std::vector<Metric> reported_metrics(const SearchSpace& space);

std::vector<LegendEntry> search_legend(const SearchSpace& space);

}  // namespace smelt
