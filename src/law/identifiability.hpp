#pragma once

#include <vector>

#include "law/least_squares.hpp"
#include "smelt/law_fit.hpp"

namespace smelt::law {

/// What in the runs themselves keeps the form from being determined: too few, a constant column,
/// columns tied to each other. Empty when a fit is worth trying.
std::vector<LawObstacle> data_obstacles(const LawData& data);

/// Where the best of several minimisations ended up, and where the others did.
struct RefinedStart {
  LawCoefficients coefficients{};
  LeastSquaresSummary summary;
};

/// Whether two starts ended at one optimum, by their exponents and their floor.
bool same_optimum(const LawCoefficients& one, const LawCoefficients& other);

/// What in the outcome says that the runs do not determine the law: starts of equal objective that
/// disagree, a term that vanishes, an exponent out of all bounds, a near-singular Jacobian, an
/// optimal split outside of all that was run. `refined` has the best first.
std::vector<LawObstacle> outcome_obstacles(const LawData& data,
                                           const std::vector<RefinedStart>& refined);

}  // namespace smelt::law
