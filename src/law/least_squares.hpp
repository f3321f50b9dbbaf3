#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>

#include "smelt/termination.hpp"

namespace smelt::law {

/// Fills `residuals` (and the Jacobian d residual_i / d parameter_j, where asked for) at
/// `parameters`; returns false where the model has no finite value.
using ResidualFunction = std::function<bool(const Eigen::VectorXd& parameters,
                                            Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian)>;

struct LeastSquaresProblem {
  ResidualFunction evaluate;
  Eigen::VectorXd row_weights;  ///< one per residual, not negative; empty means 1 each
};

struct LeastSquaresOptions {
  /// Huber's threshold in units of the residuals: rho(r) = r^2 / 2 up to it, linear beyond.
  /// Infinite (the default) gives plain least squares.
  double huber_delta = std::numeric_limits<double>::infinity();
  /// Outer iterations, each with one Jacobian.
  int max_iterations = 1000;
  /// Stop when |g_j| <= gradient_tolerance x norm of column j x norm of the residuals, all j: the
  /// cosine between the residuals and each column, which no choice of units changes.
  double gradient_tolerance = 1e-13;
  /// Stop when a step changes no parameter by more than this, relative to the parameter.
  double step_tolerance = 1e-12;
  /// First damping, relative to the squared column norms.
  double initial_damping = 1e-3;
};

struct LeastSquaresSummary {
  Eigen::VectorXd parameters;
  double objective = 0;  ///< sum over rows of weight x rho(residual)
  Termination termination = Termination::kMaxIterations;
  int iterations = 0;
  double gradient_norm = 0;  ///< largest |d objective / d parameter_j|
  double condition = 0;      ///< of the weighted Jacobian with columns scaled to length 1
};

/// sum of weight x rho(r), Huber with the half-square inside.
double huber_objective(const Eigen::VectorXd& residuals, const Eigen::VectorXd& row_weights,
                       double delta);

/// Minimises sum of weight x rho(residual) from `start` by damped Gauss-Newton steps
/// (Levenberg-Marquardt, More's scaling, Nielsen's damping), each solved by QR.
LeastSquaresSummary minimize(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                             const LeastSquaresOptions& options = {});

}  // namespace smelt::law
