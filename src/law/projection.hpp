#pragma once

#include <Eigen/Core>
#include <vector>

#include "law/residuals.hpp"

namespace smelt::law {

/// Up to `count` starts for a fit, best first, by variable projection: for exponents on a grid the
/// law is linear in E, A, B, whose best values follow from least squares on L_predicted / L - 1 (to
/// first order the residual log L_predicted - log L). Kept are the grid's best points that have all
/// three positive and are no neighbours of each other; where there are none, one plain guess.
std::vector<Eigen::VectorXd> projected_starts(const LogRuns& runs, int count);

}  // namespace smelt::law
