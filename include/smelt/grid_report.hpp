#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/compare_report.hpp"

namespace smelt {

/// One cell of a ladder: a model matched to one of the Baselines.
struct GridCell {
  std::string baseline;  ///< name of one of the request's Baselines
  Model model;
  /// What its sparsity is measured against; absent: the Baseline with E = k.
  std::optional<Control> control;
};

/// A design whose geometry is not known, as its source prints it: nothing is computed. The decimals
/// keep their printed digits ("0.100").
struct PublishedRow {
  std::string name;
  std::string baseline;
  std::int64_t hidden_size = 0;
  std::int64_t num_experts = 0;
  std::string active_params_billion;
  std::string total_params_billion;
  std::string sparsity_percent;
  std::string flops_ratio;  ///< over the Baseline's
  std::string kv_ratio;     ///< over the Baseline's
};

/// A Baseline for which the solver found no design within tolerance.
struct UnmatchedRow {
  std::string baseline;
  std::string rules;   ///< name of the rules that it was solved under
  CompareRow nearest;  ///< the nearest grid point
};

/// A ladder of Baselines and the models matched to them: the request of `smelt grid`.
struct GridRequest {
  std::string name;
  std::string description;  ///< one sentence
  std::string source;
  std::vector<Model> baselines;
  std::vector<GridCell> cells;
  std::vector<PublishedRow> published;
  std::vector<UnmatchedRow> unmatched;
  Convention convention = conventions().front();
};

/// A Baseline: what a configuration table prints of it.
struct BaselineRow {
  Model model;
  Budget budget;
  Count active_params;
  double sparsity = 0;  ///< against itself with E = k
};

/// A matched model: the same, and its deviation from its Baseline.
struct MatchedRow {
  std::string baseline;
  Model model;
  Budget budget;
  Count active_params;
  Deviation deviation;
  double sparsity = 0;
  Control control;
  bool own_control = false;  ///< the control is the cell's, not the Baseline's
};

struct GridResult {
  std::string name;
  std::string description;  ///< one sentence
  std::string source;
  Convention convention;
  std::vector<BaselineRow> baselines;
  std::vector<MatchedRow> rows;
  std::vector<PublishedRow> published;
  std::vector<UnmatchedRow> unmatched;
  Deviation worst;  ///< the largest |deviation| of each budget over `rows`
};

/// Throws InputError as compare does, and when a cell names no Baseline of the request.
GridResult evaluate_grid(const GridRequest& request);

}  // namespace smelt
