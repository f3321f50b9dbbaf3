#include "law/projection.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

namespace smelt::law {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

/// Published exponents lie between 0.05 and 1; the spacing is a factor of about 1.35.
constexpr std::array<double, 11> kExponents = {0.05, 0.07, 0.1,  0.14, 0.19, 0.26,
                                               0.35, 0.47, 0.63, 0.85, 1.15};
/// b of (1-S)^b and phi of r^phi.
constexpr std::array<double, 7> kExtras = {-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1};
constexpr std::array<double, 1> kNoExtra = {0};

/// A point of the grid, with its least squares solution.
struct GridPoint {
  std::array<int, 3> index{};  ///< into the three axes
  VectorXd parameters;
  double score = 0;  ///< sum of squared relative residuals
};

/// Solves for (E, A', B') and returns the sum of squares of 1 - columns x solution.
struct Projection {
  Vector3d solution;
  double score = 0;
};

Projection project(const MatrixXd& columns) {
  const VectorXd ones = VectorXd::Ones(columns.rows());
  Projection projection;
  projection.solution = (columns.transpose() * columns).ldlt().solve(columns.transpose() * ones);
  projection.score = (columns * projection.solution - ones).squaredNorm();
  return projection;
}

bool are_neighbours(const GridPoint& one, const GridPoint& other) {
  for (std::size_t axis = 0; axis < one.index.size(); ++axis) {
    if (std::abs(one.index[axis] - other.index[axis]) > 1) return false;
  }
  return true;
}

/// Every grid point with a positive solution.
template <std::size_t N>
std::vector<GridPoint> grid_points(const LogRuns& runs, const std::array<double, N>& extras) {
  std::vector<GridPoint> points;
  const VectorXd inverse_loss = (-runs.log_loss()).array().exp();
  MatrixXd columns(runs.rows(), 3);
  columns.col(0) = inverse_loss;
  for (int x = 0; x < static_cast<int>(N); ++x) {
    for (int a = 0; a < static_cast<int>(kExponents.size()); ++a) {
      const double extra = extras[static_cast<std::size_t>(x)];
      const double alpha = kExponents[static_cast<std::size_t>(a)];
      columns.col(1) = runs.log_capacity_term(alpha, extra).array().exp() * inverse_loss.array();
      for (int b = 0; b < static_cast<int>(kExponents.size()); ++b) {
        const double beta = kExponents[static_cast<std::size_t>(b)];
        columns.col(2) = runs.log_data_term(beta).array().exp() * inverse_loss.array();
        const Projection best = project(columns);
        if (!(best.solution.minCoeff() > 0) || !std::isfinite(best.score)) continue;
        VectorXd parameters(6);
        parameters << best.solution.array().log().matrix(), alpha, beta, extra;
        points.push_back({{a, b, x}, parameters.head(runs.num_parameters()), best.score});
      }
    }
  }
  return points;
}

VectorXd plain_guess(const LogRuns& runs) {
  const double log_loss = runs.log_loss().minCoeff();
  VectorXd parameters(6);
  parameters << log_loss + std::log(0.5), log_loss + std::log(0.25), log_loss + std::log(0.25),
      0.35, 0.35, 0.4;
  return parameters.head(runs.num_parameters());
}

}  // namespace

std::vector<VectorXd> projected_starts(const LogRuns& runs, int count) {
  std::vector<GridPoint> points = runs.form() == LawForm::kChinchilla ? grid_points(runs, kNoExtra)
                                                                      : grid_points(runs, kExtras);
  std::stable_sort(points.begin(), points.end(),
                   [](const GridPoint& a, const GridPoint& b) { return a.score < b.score; });
  std::vector<GridPoint> kept;
  for (const GridPoint& point : points) {
    if (static_cast<int>(kept.size()) == count) break;
    const auto near = [&](const GridPoint& other) { return are_neighbours(point, other); };
    if (std::none_of(kept.begin(), kept.end(), near)) kept.push_back(point);
  }
  std::vector<VectorXd> starts;
  for (const GridPoint& point : kept) starts.push_back(point.parameters);
  if (starts.empty()) starts.push_back(plain_guess(runs));
  return starts;
}

}  // namespace smelt::law
