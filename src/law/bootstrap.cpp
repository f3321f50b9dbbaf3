#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "law/residuals.hpp"
#include "smelt/law_fit.hpp"
#include "smelt/parallel.hpp"
#include "smelt/random.hpp"

namespace smelt {

namespace {

/// The rows of a draw, each once, with the number of times its unit came up.
struct Draw {
  std::vector<std::size_t> rows;
  Eigen::VectorXd weights;
};

Draw draw_units(const BootstrapUnits& units, std::uint64_t seed, std::uint64_t index) {
  std::vector<int> times(units.count, 0);
  RandomStream stream(seed, index);
  for (std::size_t k = 0; k < units.count; ++k) ++times[stream.below(units.count)];
  Draw draw;
  std::vector<double> weights;
  for (std::size_t i = 0; i < units.unit_of_row.size(); ++i) {
    const int count = times[units.unit_of_row[i]];
    if (count == 0) continue;
    draw.rows.push_back(i);
    weights.push_back(count);
  }
  draw.weights =
      Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
  return draw;
}

bool is_proper(const LawCoefficients& coefficients) {
  return std::all_of(coefficients.begin(), coefficients.end(),
                     [](double value) { return std::isfinite(value); });
}

std::optional<LawCoefficients> refit(const law::LogRuns& runs, const Eigen::VectorXd& start,
                                     const Draw& draw, double huber_delta) {
  const law::LogRuns drawn = runs.subset(draw.rows);
  law::LeastSquaresProblem problem;
  problem.evaluate = [&drawn](const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals,
                              Eigen::MatrixXd* jacobian) {
    return drawn.evaluate(parameters, residuals, jacobian);
  };
  problem.row_weights = draw.weights;
  law::LeastSquaresOptions engine;
  engine.huber_delta = huber_delta;
  const law::LeastSquaresSummary summary = law::minimize(problem, start, engine);
  const LawCoefficients coefficients = runs.to_coefficients(summary.parameters);
  if (!converged(summary.termination) || !is_proper(coefficients)) return std::nullopt;
  return coefficients;
}

}  // namespace

Bootstrap bootstrap_law(const LawData& data, const LawFit& fit, const BootstrapUnits& units,
                        const LawFitOptions& options, const BootstrapOptions& bootstrap) {
  assert(fit.status == LawFitStatus::kFitted && units.unit_of_row.size() == data.size());
  const law::LogRuns runs(data);
  const Eigen::VectorXd start = runs.to_parameters(fit.law.coefficients);
  std::vector<std::optional<LawCoefficients>> refits(bootstrap.draws);
  parallel_for(bootstrap.draws, bootstrap.threads, [&](std::size_t i) {
    refits[i] = refit(runs, start, draw_units(units, bootstrap.seed, i), options.huber_delta);
  });
  Bootstrap result;
  for (const std::optional<LawCoefficients>& one : refits) {
    if (one) {
      result.coefficients.push_back(*one);
    } else {
      ++result.failed;
    }
  }
  return result;
}

Interval percentile_interval(std::vector<double> values, double level) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {quantile((1 - level) / 2), quantile((1 + level) / 2)};
}

}  // namespace smelt
