#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smelt/compare_report.hpp"
#include "smelt/match.hpp"

namespace smelt {

/// A rule or tolerance changed alone, and the design that it admits.
struct RelaxationRow {
  std::string rule;
  std::string from;
  std::string to;
  CompareRow design;
};

/// A match as it is reported: its designs built as models, each with its name and sparsity.
struct MatchReport {
  CompareRow baseline;  ///< its deviation is 0
  std::int64_t num_layers = 0;
  std::optional<LoopSpan> loop;
  std::int64_t effective_layers = 0;
  Rules rules;
  Convention convention;
  Objective objective = Objective::kMax;
  Control control;  ///< what sparsity is measured against
  Certificate certificate;
  std::vector<CompareRow> candidates;  ///< best first; empty where infeasible
  std::vector<CompareRow> nearest;
  std::vector<RelaxationRow> relaxations;
  double elapsed_ms = 0;  ///< of the search; the caller's clock

  [[nodiscard]] bool feasible() const { return !candidates.empty(); }
};

/// `control` absent: the Baseline with E = k.
MatchReport report_match(const MatchProblem& problem, const MatchResult& result,
                         const std::optional<Control>& control);

}  // namespace smelt
