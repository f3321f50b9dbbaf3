#include "nist.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "dual.hpp"

namespace smelt_test {

namespace {

/// Room for the nine parameters of ENSO.
using Value = Dual<9>;
using Parameters = std::vector<Value>;
using Row = std::vector<double>;
using NistModel = std::function<Value(const Parameters& b, const Row& x)>;

Value square(const Value& x) { return x * x; }

/// Hahn1 and Thurber: cubic over cubic.
Value cubic_ratio(const Parameters& b, const Row& row) {
  const Value x(row[1]);
  return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) /
         (Value(1) + x * (b[4] + x * (b[5] + x * b[6])));
}

Value three_exponentials(const Parameters& b, const Row& row) {
  const Value x(row[1]);
  return b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x);
}

Value two_bells(const Parameters& b, const Row& row) {
  const Value x(row[1]);
  return b[0] * exp(-b[1] * x) + b[2] * exp(-square((x - b[3]) / b[4])) +
         b[5] * exp(-square((x - b[6]) / b[7]));
}

Value decay_over_line(const Parameters& b, const Row& row) {
  const Value x(row[1]);
  return exp(-b[0] * x) / (b[1] + b[2] * x);
}

Value waves(const Parameters& b, const Row& row) {
  const Value turn(2 * std::numbers::pi * row[1]);
  const Value year = turn / Value(12);
  return b[0] + b[1] * cos(year) + b[2] * sin(year) + b[4] * cos(turn / b[3]) +
         b[5] * sin(turn / b[3]) + b[7] * cos(turn / b[6]) + b[8] * sin(turn / b[6]);
}

/// The 27 models, each as its file states it.
const std::map<std::string, NistModel>& models() {
  static const std::map<std::string, NistModel> all = {
      {"Bennett5", [](const Parameters& b,
                      const Row& x) { return b[0] * pow(b[1] + Value(x[1]), Value(-1) / b[2]); }},
      {"BoxBOD", [](const Parameters& b,
                    const Row& x) { return b[0] * (Value(1) - exp(-b[1] * Value(x[1]))); }},
      {"Chwirut1", decay_over_line},
      {"Chwirut2", decay_over_line},
      {"DanWood", [](const Parameters& b, const Row& x) { return b[0] * pow(Value(x[1]), b[1]); }},
      {"ENSO", waves},
      {"Eckerle4",
       [](const Parameters& b, const Row& x) {
         return b[0] / b[1] * exp(Value(-0.5) * square((Value(x[1]) - b[2]) / b[1]));
       }},
      {"Gauss1", two_bells},
      {"Gauss2", two_bells},
      {"Gauss3", two_bells},
      {"Hahn1", cubic_ratio},
      {"Kirby2",
       [](const Parameters& b, const Row& row) {
         const Value x(row[1]);
         return (b[0] + x * (b[1] + x * b[2])) / (Value(1) + x * (b[3] + x * b[4]));
       }},
      {"Lanczos1", three_exponentials},
      {"Lanczos2", three_exponentials},
      {"Lanczos3", three_exponentials},
      {"MGH09",
       [](const Parameters& b, const Row& row) {
         const Value x(row[1]);
         return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]);
       }},
      {"MGH10",
       [](const Parameters& b, const Row& x) { return b[0] * exp(b[1] / (Value(x[1]) + b[2])); }},
      {"MGH17",
       [](const Parameters& b, const Row& row) {
         const Value x(row[1]);
         return b[0] + b[1] * exp(-x * b[3]) + b[2] * exp(-x * b[4]);
       }},
      {"Misra1a", [](const Parameters& b,
                     const Row& x) { return b[0] * (Value(1) - exp(-b[1] * Value(x[1]))); }},
      {"Misra1b",
       [](const Parameters& b, const Row& x) {
         return b[0] * (Value(1) - Value(1) / square(Value(1) + b[1] * Value(x[1] / 2)));
       }},
      {"Misra1c",
       [](const Parameters& b, const Row& x) {
         return b[0] * (Value(1) - pow(Value(1) + b[1] * Value(2 * x[1]), Value(-0.5)));
       }},
      {"Misra1d",
       [](const Parameters& b, const Row& x) {
         return b[0] * b[1] * Value(x[1]) / (Value(1) + b[1] * Value(x[1]));
       }},
      {"Nelson", [](const Parameters& b,
                    const Row& x) { return b[0] - b[1] * Value(x[1]) * exp(-b[2] * Value(x[2])); }},
      {"Rat42", [](const Parameters& b,
                   const Row& x) { return b[0] / (Value(1) + exp(b[1] - b[2] * Value(x[1]))); }},
      {"Rat43",
       [](const Parameters& b, const Row& x) {
         return b[0] / pow(Value(1) + exp(b[1] - b[2] * Value(x[1])), Value(1) / b[3]);
       }},
      {"Roszman1",
       [](const Parameters& b, const Row& x) {
         return b[0] - b[1] * Value(x[1]) -
                atan(b[2] / (Value(x[1]) - b[3])) / Value(std::numbers::pi);
       }},
      {"Thurber", cubic_ratio},
  };
  return all;
}

std::vector<double> numbers_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> numbers;
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

/// "b1 = START1 START2 CERTIFIED DEVIATION"
void take_parameter(const std::string& line, NistSet& set) {
  const std::vector<double> numbers = numbers_of(line.substr(line.find('=') + 1));
  set.starts[0].push_back(numbers.at(0));
  set.starts[1].push_back(numbers.at(1));
  set.certified.push_back(numbers.at(2));
}

bool fill(const NistSet& set, const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals,
          Eigen::MatrixXd* jacobian) {
  const NistModel& model = models().at(set.name);
  Parameters b;
  for (Eigen::Index j = 0; j < parameters.size(); ++j) {
    b.push_back(Value::variable(parameters[j], static_cast<std::size_t>(j)));
  }
  const auto rows = static_cast<Eigen::Index>(set.rows.size());
  residuals.resize(rows);
  if (jacobian != nullptr) jacobian->resize(rows, parameters.size());
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Row& row = set.rows[static_cast<std::size_t>(i)];
    const Value predicted = model(b, row);
    // Nelson's response is log y.
    const double observed = set.name == "Nelson" ? std::log(row[0]) : row[0];
    residuals[i] = observed - predicted.value;
    for (Eigen::Index j = 0; jacobian != nullptr && j < parameters.size(); ++j) {
      (*jacobian)(i, j) = -predicted.slope[static_cast<std::size_t>(j)];
    }
  }
  return residuals.allFinite() && (jacobian == nullptr || jacobian->allFinite());
}

}  // namespace

NistSet read_nist(const std::string& name) {
  std::ifstream in(std::string(SMELT_TEST_DATA) + "/nist/" + name + ".dat");
  if (!in) throw std::runtime_error("no data for " + name);
  NistSet set;
  set.name = name;
  set.starts.resize(2);
  bool data = false;
  int data_headings = 0;
  for (std::string line; std::getline(in, line);) {
    const bool parameter = line.find("  b") == 0 && line.find(" =") != std::string::npos;
    const std::string sum = "Residual Sum of Squares:";
    if (data && !numbers_of(line).empty()) {
      set.rows.push_back(numbers_of(line));
    } else if (line.rfind("Data:", 0) == 0) {
      data = ++data_headings == 2;  // the first heading introduces the description
    } else if (parameter) {
      take_parameter(line, set);
    } else if (line.rfind(sum, 0) == 0) {
      set.residual_sum_of_squares = std::stod(line.substr(sum.size()));
    }
  }
  return set;
}

std::vector<std::string> nist_names() {
  std::vector<std::string> names;
  for (const auto& [name, model] : models()) names.push_back(name);
  return names;
}

smelt::law::LeastSquaresProblem nist_problem(const NistSet& set) {
  smelt::law::LeastSquaresProblem problem;
  problem.evaluate = [set](const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals,
                           Eigen::MatrixXd* jacobian) {
    return fill(set, parameters, residuals, jacobian);
  };
  return problem;
}

}  // namespace smelt_test
