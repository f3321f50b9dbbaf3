#pragma once

#include <optional>
#include <vector>

#include "smelt/figure.hpp"
#include "smelt/law.hpp"
#include "smelt/law_fit.hpp"

namespace smelt {

// Curves are lines where their laws were fitted and dashes where a law is extrapolated.

/// What the pictures of laws are drawn over.
struct LawFigureRange {
  LawRange budgets;  ///< training FLOPs
  LawScenario scenario;
};

/// Optimal loss against training FLOPs, a line a law, with the runs as points where there are any.
Figure frontier_figure(const std::vector<Law>& laws, const LawFigureRange& range,
                       const std::optional<LawData>& runs = std::nullopt);

/// The same less each law's floor E, on logarithmic axes: straight lines of slope -gamma. Runs lie
/// above the floor of the first law, or are left out.
Figure reducible_figure(const std::vector<Law>& laws, const LawFigureRange& range,
                        const std::optional<LawData>& runs = std::nullopt);

/// Gain against budget, a line a scenario.
Figure gain_figure(const Law& target, const Law& reference, const LawRange& budgets,
                   const std::vector<LawScenario>& scenarios);

/// Loss against dense-equivalent parameters F / 6 at fixed budgets, a line a budget, the optimum of
/// each marked.
Figure isoflop_figure(const Law& law, const std::vector<double>& budgets,
                      const LawScenario& scenario);

/// log L_predicted - log L of every run against its training FLOPs.
Figure residual_figure(const Law& law, const LawData& runs);

}  // namespace smelt
