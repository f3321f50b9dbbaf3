#include "law/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "nist.hpp"
#include "smelt/random.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using smelt::Termination;
using smelt::law::LeastSquaresOptions;
using smelt::law::LeastSquaresProblem;
using smelt::law::LeastSquaresSummary;
using smelt::law::minimize;

namespace {

VectorXd to_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// The fewest digits that any parameter shares with its certified value.
double certified_digits(const LeastSquaresSummary& fit, const std::vector<double>& certified) {
  double digits = 11;  // as many as NIST certifies
  for (std::size_t j = 0; j < certified.size(); ++j) {
    const double error = fit.parameters[static_cast<Eigen::Index>(j)] / certified[j] - 1;
    digits = std::min(digits, -std::log10(std::abs(error)));
  }
  return digits;
}

/// A straight line through (i, y_i).
LeastSquaresProblem line_through(const std::vector<double>& y) {
  LeastSquaresProblem problem;
  problem.evaluate = [y](const VectorXd& p, VectorXd& residuals, MatrixXd* jacobian) {
    const auto rows = static_cast<Eigen::Index>(y.size());
    residuals.resize(rows);
    if (jacobian != nullptr) jacobian->resize(rows, 2);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const auto x = static_cast<double>(i);
      residuals[i] = p[0] + p[1] * x - y[static_cast<std::size_t>(i)];
      if (jacobian != nullptr) jacobian->row(i) << 1, x;
    }
    return true;
  };
  return problem;
}

}  // namespace

TEST_CASE("NIST's certified values come out to six digits on at least 50 of 54 runs") {
  int reached = 0;
  int runs = 0;
  std::string missed;
  for (const std::string& name : smelt_test::nist_names()) {
    const smelt_test::NistSet set = smelt_test::read_nist(name);
    for (std::size_t start = 0; start < set.starts.size(); ++start) {
      const LeastSquaresSummary fit =
          minimize(smelt_test::nist_problem(set), to_vector(set.starts[start]));
      ++runs;
      if (certified_digits(fit, set.certified) >= 6) {
        ++reached;
        INFO(name << ", start " << start + 1);
        CHECK(smelt::converged(fit.termination));
        CHECK(2 * fit.objective == Approx(set.residual_sum_of_squares).epsilon(1e-8).margin(1e-25));
      } else {
        missed += name + " " + std::to_string(start + 1) + " ";
      }
    }
  }
  INFO("missed: " << missed);
  CHECK(runs == 54);
  CHECK(reached >= 50);
}

TEST_CASE("each of NIST's sets is solved from the nearer start") {
  for (const std::string& name : smelt_test::nist_names()) {
    INFO(name);
    const smelt_test::NistSet set = smelt_test::read_nist(name);
    const LeastSquaresSummary fit =
        minimize(smelt_test::nist_problem(set), to_vector(set.starts[1]));
    CHECK(certified_digits(fit, set.certified) >= 6);
  }
}

TEST_CASE("Huber's objective has the half-square inside and a line of slope delta outside") {
  const VectorXd residuals = to_vector({0.5, -2, 3});
  // 0.125 + 1 (2 - 0.5) + 1 (3 - 0.5)
  CHECK(smelt::law::huber_objective(residuals, {}, 1) == Approx(4.125));
  CHECK(smelt::law::huber_objective(residuals, to_vector({2, 0, 1}), 1) == Approx(2.75));
  CHECK(smelt::law::huber_objective(residuals, {}, 100) == Approx((0.25 + 4 + 9) / 2));
}

TEST_CASE("a robust line ignores a wild point that pulls the plain one away") {
  std::vector<double> y;
  for (int i = 0; i < 9; ++i) y.push_back(2 + 3 * i);
  y.push_back(1000);
  LeastSquaresOptions options;
  options.huber_delta = 1e-6;
  const LeastSquaresSummary robust = minimize(line_through(y), to_vector({0, 0}), options);
  CHECK(robust.parameters[0] == Approx(2).margin(1e-5));
  CHECK(robust.parameters[1] == Approx(3).margin(1e-5));
  const LeastSquaresSummary plain = minimize(line_through(y), to_vector({0, 0}));
  CHECK(plain.parameters[1] > 40);
}

TEST_CASE("the robust optimum is a stationary point for any delta") {
  smelt::RandomStream stream(5);
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) y.push_back(1 + 0.5 * i + stream.normal());
  for (const double delta : {1e-3, 0.03, 0.5, 2.0, 100.0}) {
    INFO("delta " << delta);
    LeastSquaresOptions options;
    options.huber_delta = delta;
    const LeastSquaresSummary fit = minimize(line_through(y), to_vector({0, 0}), options);
    CHECK(smelt::converged(fit.termination));
    // Stationary: the clipped residuals are orthogonal to both columns.
    CHECK(fit.gradient_norm < 1e-8 * delta * 60 * 60);
    // No neighbour is lower.
    VectorXd residuals;
    for (const double shift : {-1e-4, 1e-4}) {
      for (const int j : {0, 1}) {
        VectorXd moved = fit.parameters;
        moved[j] += shift;
        line_through(y).evaluate(moved, residuals, nullptr);
        CHECK(smelt::law::huber_objective(residuals, {}, delta) >= fit.objective);
      }
    }
  }
}

TEST_CASE("a row of weight two counts as two rows") {
  const std::vector<double> y = {1, 3, 2, 5};
  LeastSquaresProblem weighted = line_through(y);
  weighted.row_weights = to_vector({1, 1, 1, 2});
  const VectorXd fit = minimize(weighted, to_vector({0, 0})).parameters;
  // Normal equations of the five rows by hand: sums over x of 1, x, x^2 are 5, 9, 23; of y, x y
  // are 16, 37.
  CHECK(fit[1] == Approx((5 * 37 - 9 * 16) / double{5 * 23 - 9 * 9}));
  CHECK(fit[0] == Approx((16 - fit[1] * 9) / 5));
}

TEST_CASE("a start without a finite value and too few iterations are said") {
  LeastSquaresProblem nowhere;
  nowhere.evaluate = [](const VectorXd&, VectorXd&, MatrixXd*) { return false; };
  CHECK(minimize(nowhere, to_vector({1})).termination == Termination::kBadStart);
  const smelt_test::NistSet set = smelt_test::read_nist("Lanczos3");
  LeastSquaresOptions options;
  options.max_iterations = 3;
  const LeastSquaresSummary fit =
      minimize(smelt_test::nist_problem(set), to_vector(set.starts[0]), options);
  CHECK(fit.termination == Termination::kMaxIterations);
  CHECK_FALSE(smelt::converged(fit.termination));
}

TEST_CASE("the condition number is that of the unit columns") {
  // Columns (1, 1) and (0, 1) scaled: cosine 1 / sqrt 2, so sqrt((1 + c) / (1 - c)).
  const LeastSquaresSummary fit = minimize(line_through({1, 5}), to_vector({0, 0}));
  const double c = std::sqrt(0.5);
  CHECK(fit.condition == Approx(std::sqrt((1 + c) / (1 - c))));
}
