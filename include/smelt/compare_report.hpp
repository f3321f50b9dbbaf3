#pragma once

#include <optional>
#include <vector>

#include "smelt/attribution.hpp"
#include "smelt/control.hpp"
#include "smelt/convention_report.hpp"
#include "smelt/cost.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// How far models are from a Baseline's budgets: the request of `smelt compare`.
struct CompareRequest {
  Model baseline;
  std::vector<Model> models;
  Convention convention = conventions().front();
  /// What sparsity is measured against; absent: the Baseline with E = k.
  std::optional<Control> control;
  bool all_conventions = false;  ///< say under which conventions the match holds
  MatchTolerance tolerance;
};

/// A model's budgets and their deviation from the Baseline's.
struct CompareRow {
  Model model;
  Budget budget;
  Deviation deviation;
  double sparsity = 0;
  std::vector<ComponentDeviation> attribution;  ///< which component each deviation comes from
  std::vector<ConventionMatch> conventions;     ///< empty unless asked for
};

struct CompareResult {
  CompareRow baseline;  ///< its deviation is 0
  std::vector<CompareRow> rows;
  Convention convention;
  Control control;
};

/// Throws InputError as evaluate_cost does, naming the model.
CompareResult compare(const CompareRequest& request);

}  // namespace smelt
