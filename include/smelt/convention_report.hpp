#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smelt/budget.hpp"
#include "smelt/flops.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// One model under one convention.
struct ConventionRow {
  Convention convention;
  std::optional<Count> training_per_token;
  std::string missing;  ///< what the model lacks where there is no count
  /// What each switch adds on the way from the first convention to this one.
  std::vector<SwitchEffect> gap;
};

/// One model under all conventions; a convention for which the model states too little has no
/// count.
std::vector<ConventionRow> count_under_conventions(const Model& model);

/// How far a match may be off under another convention: the `paper` rules' tolerance.
struct MatchTolerance {
  double flops = 0.04;
  double params = 0.01;
  double kv = 0.04;
};

/// Whether one candidate matches a Baseline under one convention.
struct ConventionMatch {
  Convention convention;
  std::optional<Deviation> deviation;
  std::string missing;  ///< what a model lacks where there is no deviation
  bool holds = false;   ///< each |deviation| within its tolerance
};

std::vector<ConventionMatch> match_under_conventions(const Model& candidate, const Model& baseline,
                                                     const MatchTolerance& tolerance);

}  // namespace smelt
