#pragma once

#include <vector>

#include "smelt/match.hpp"

namespace smelt {

/// The grid points nearest to the Baseline's budgets by Objective::kScaled, at most problem.top;
/// empty only where the grid is.
std::vector<Candidate> nearest_points(const MatchProblem& problem);

/// For each tolerance and each shape rule the smallest change of it alone that admits a design, in
/// the order of the rules file; a rule that no change of its own mends is left out.
std::vector<Relaxation> relaxations(const MatchProblem& problem);

}  // namespace smelt
