#include "law/least_squares.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace smelt::law {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double huber_objective(const VectorXd& residuals, const VectorXd& row_weights, double delta) {
  double sum = 0;
  for (Index i = 0; i < residuals.size(); ++i) {
    const double size = std::abs(residuals[i]);
    const double rho = size <= delta ? size * size / 2 : delta * (size - delta / 2);
    sum += row_weights.size() == 0 ? rho : row_weights[i] * rho;
  }
  return sum;
}

namespace {

/// Rows of the quadratic model: minimise |matrix s + target|^2 / 2 over the step s.
struct Linearized {
  MatrixXd matrix;        ///< sqrt(weight) J
  VectorXd target;        ///< weight x psi / sqrt(weight), so that matrix^T target is the gradient
  VectorXd column_norms;  ///< of `matrix`
  VectorXd gradient;
};

/// How the curvature of rho is modelled.
enum class Curvature {
  kMajorizing,  ///< psi(r) / r: iteratively reweighted least squares, safe far from the optimum
  kExact,       ///< rho''(r): Newton's, fast near it
};

/// Rows in the linear part of rho have no curvature of their own; this share of the majorizing
/// weight keeps the step defined there.
constexpr double kCurvatureFloor = 0.01;

double curvature_weight(double residual, double delta, Curvature curvature) {
  const double size = std::abs(residual);
  if (size <= delta) return 1;
  return delta / size * (curvature == Curvature::kExact ? kCurvatureFloor : 1);
}

Linearized linearize(const VectorXd& residuals, MatrixXd jacobian, const VectorXd& row_weights,
                     double delta, Curvature curvature) {
  Linearized model;
  model.target.resize(residuals.size());
  for (Index i = 0; i < residuals.size(); ++i) {
    const double row_weight = row_weights.size() == 0 ? 1 : row_weights[i];
    const double psi = std::clamp(residuals[i], -delta, delta);
    const double root = std::sqrt(curvature_weight(residuals[i], delta, curvature));
    const double root_row = std::sqrt(row_weight);
    model.target[i] = root_row * psi / root;
    jacobian.row(i) *= root_row * root;
  }
  model.matrix = std::move(jacobian);
  model.column_norms = model.matrix.colwise().norm();
  model.gradient = model.matrix.transpose() * model.target;
  return model;
}

/// The step that minimises |matrix s + target|^2 + damping |scale s|^2, by QR of the stacked rows.
VectorXd damped_step(const Linearized& model, const VectorXd& scale, double damping) {
  const Index rows = model.matrix.rows();
  const Index columns = model.matrix.cols();
  MatrixXd stacked(rows + columns, columns);
  stacked.topRows(rows) = model.matrix;
  stacked.bottomRows(columns) = (std::sqrt(damping) * scale).asDiagonal();
  VectorXd target = VectorXd::Zero(rows + columns);
  target.head(rows) = -model.target;
  return stacked.householderQr().solve(target);
}

double condition_number(const Linearized& model) {
  MatrixXd scaled = model.matrix;
  for (Index j = 0; j < scaled.cols(); ++j) {
    if (model.column_norms[j] > 0) scaled.col(j) /= model.column_norms[j];
  }
  const VectorXd singular = scaled.jacobiSvd().singularValues();
  const double smallest = singular[singular.size() - 1];
  return smallest > 0 ? singular[0] / smallest : std::numeric_limits<double>::max();
}

/// One minimisation: the state that the iterations share.
class Minimizer {
 public:
  Minimizer(const LeastSquaresProblem& problem, const VectorXd& start,
            const LeastSquaresOptions& options)
      : problem_(problem), options_(options), damping_(options.initial_damping) {
    summary_.parameters = start;
  }

  LeastSquaresSummary run() {
    if (!problem_.evaluate(summary_.parameters, residuals_, &jacobian_)) {
      summary_.termination = Termination::kBadStart;
      return summary_;
    }
    summary_.objective = objective(residuals_);
    scale_ = VectorXd::Zero(summary_.parameters.size());
    bool running = true;
    while (running && summary_.iterations < options_.max_iterations) {
      ++summary_.iterations;
      running = iterate();
    }
    finish();
    return summary_;
  }

 private:
  [[nodiscard]] double objective(const VectorXd& residuals) const {
    return huber_objective(residuals, problem_.row_weights, options_.huber_delta);
  }

  /// One Jacobian and the first damped step that lowers the objective; false when done.
  bool iterate() {
    const Linearized model =
        linearize(residuals_, jacobian_, problem_.row_weights, options_.huber_delta, curvature_);
    scale_ = scale_.cwiseMax(model.column_norms);
    for (Index j = 0; j < scale_.size(); ++j) {
      if (scale_[j] == 0) scale_[j] = 1;
    }
    if (gradient_vanishes(model)) return stop(Termination::kGradient);
    double growth = 2;
    while (true) {
      const VectorXd step = damped_step(model, scale_, damping_);
      if (is_small(step)) return small_step();
      if (take(model, step)) return true;
      damping_ *= growth;
      growth *= 2;
      if (damping_ > 1e40) return small_step();
    }
  }

  /// Tries the step; keeps it, and loosens the damping, where the objective falls.
  bool take(const Linearized& model, const VectorXd& step) {
    const VectorXd candidate = summary_.parameters + step;
    VectorXd residuals(residuals_.size());
    if (!problem_.evaluate(candidate, residuals, nullptr)) return false;
    const double value = objective(residuals);
    if (!(value < summary_.objective)) return false;
    const VectorXd moved = model.matrix * step;
    const double predicted = -(moved.dot(model.target) + moved.squaredNorm() / 2);
    const double ratio = (summary_.objective - value) / predicted;
    const double cube = std::pow(2 * ratio - 1, 3);
    damping_ = std::max(damping_ * std::max(1.0 / 3, 1 - cube), 1e-30);
    if (summary_.objective - value < kSwitchDecrease * summary_.objective) {
      curvature_ = Curvature::kExact;
    }
    summary_.parameters = candidate;
    summary_.objective = value;
    problem_.evaluate(candidate, residuals_, &jacobian_);
    return true;
  }

  [[nodiscard]] bool gradient_vanishes(const Linearized& model) const {
    const double length = model.target.norm();
    for (Index j = 0; j < model.gradient.size(); ++j) {
      const double bound = options_.gradient_tolerance * model.column_norms[j] * length;
      if (std::abs(model.gradient[j]) > bound) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_small(const VectorXd& step) const {
    for (Index j = 0; j < step.size(); ++j) {
      if (std::abs(step[j]) > options_.step_tolerance * std::abs(summary_.parameters[j])) {
        return false;
      }
    }
    return true;
  }

  bool small_step() { return stop(damping_ < 1 ? Termination::kStep : Termination::kNoDecrease); }

  bool stop(Termination reason) {
    summary_.termination = reason;
    return false;
  }

  void finish() {
    const Linearized model = linearize(residuals_, jacobian_, problem_.row_weights,
                                       options_.huber_delta, Curvature::kMajorizing);
    summary_.gradient_norm = model.gradient.cwiseAbs().maxCoeff();
    summary_.condition = condition_number(model);
  }

  /// Below this relative decrease of the objective the iterations count as near the optimum.
  static constexpr double kSwitchDecrease = 1e-2;

  const LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  LeastSquaresSummary summary_;
  VectorXd residuals_;
  MatrixXd jacobian_;
  VectorXd scale_;  ///< largest column norms so far (More)
  double damping_;
  Curvature curvature_ = Curvature::kMajorizing;
};

}  // namespace

LeastSquaresSummary minimize(const LeastSquaresProblem& problem, const VectorXd& start,
                             const LeastSquaresOptions& options) {
  return Minimizer(problem, start, options).run();
}

}  // namespace smelt::law
