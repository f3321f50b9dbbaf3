#pragma once

#include <string>
#include <vector>

#include "law/least_squares.hpp"

namespace smelt_test {

/// One nonlinear regression set of NIST's Statistical Reference Datasets.
struct NistSet {
  std::string name;
  std::vector<std::vector<double>> starts;  ///< two
  std::vector<double> certified;            ///< parameters
  double residual_sum_of_squares = 0;
  std::vector<std::vector<double>> rows;  ///< y, then the predictors
};

/// Reads NAME.dat of tests/data/nist.
NistSet read_nist(const std::string& name);

/// The names of the sets that have a model here: all 27.
std::vector<std::string> nist_names();

/// The residuals y - model and their exact Jacobian.
smelt::law::LeastSquaresProblem nist_problem(const NistSet& set);

}  // namespace smelt_test
