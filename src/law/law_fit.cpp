#include "smelt/law_fit.hpp"

#include <algorithm>
#include <cmath>

#include "law/identifiability.hpp"
#include "law/projection.hpp"
#include "law/residuals.hpp"

namespace smelt {

std::string_view law_fit_status_name(LawFitStatus status) {
  switch (status) {
    case LawFitStatus::kFitted:
      return "fitted";
    case LawFitStatus::kNotIdentifiable:
      return "not identifiable";
    case LawFitStatus::kNotConverged:
      break;
  }
  return "not converged";
}

namespace {

law::LeastSquaresSummary refine(const law::LogRuns& runs, const Eigen::VectorXd& start,
                                const LawFitOptions& options) {
  law::LeastSquaresProblem problem;
  problem.evaluate = [&runs](const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals,
                             Eigen::MatrixXd* jacobian) {
    return runs.evaluate(parameters, residuals, jacobian);
  };
  law::LeastSquaresOptions engine;
  engine.huber_delta = options.huber_delta;
  return law::minimize(problem, start, engine);
}

/// Every start that has a value, refined, the lowest objective first.
std::vector<law::RefinedStart> refine_starts(const law::LogRuns& runs,
                                             const LawFitOptions& options) {
  std::vector<law::RefinedStart> refined;
  for (const Eigen::VectorXd& start : law::projected_starts(runs, options.starts)) {
    law::RefinedStart one;
    one.summary = refine(runs, start, options);
    if (one.summary.termination == Termination::kBadStart) continue;
    one.coefficients = runs.to_coefficients(one.summary.parameters);
    refined.push_back(std::move(one));
  }
  std::stable_sort(refined.begin(), refined.end(),
                   [](const law::RefinedStart& a, const law::RefinedStart& b) {
                     return a.summary.objective < b.summary.objective;
                   });
  return refined;
}

LawRange range_of(const std::vector<double>& values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return {*lowest, *highest};
}

/// The ranges of the runs, by variable, and of their training FLOPs.
std::map<std::string, LawRange> window_of(const LawData& data) {
  std::map<std::string, LawRange> window;
  const std::vector<std::string>& names = law_form_info(data.form).variables;
  for (std::size_t v = 0; v < names.size(); ++v) window[names[v]] = range_of(data.variables[v]);
  std::vector<double> budgets;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::vector<double> row = data.row(i);
    budgets.push_back(law_flops_per_token(data.form, row) * row.back());
  }
  window["budget"] = range_of(budgets);
  return window;
}

double rmse_of(const Law& law, const LawData& data) {
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    sum += std::pow(loss(law, data.row(i)) - data.loss[i], 2);
  }
  return std::sqrt(sum / static_cast<double>(data.size()));
}

void take_best(LawFit& fit, const std::vector<law::RefinedStart>& refined) {
  const law::RefinedStart& best = refined.front();
  fit.law.coefficients = best.coefficients;
  fit.objective = best.summary.objective;
  fit.termination = best.summary.termination;
  fit.gradient_norm = best.summary.gradient_norm;
  fit.condition = best.summary.condition;
  fit.starts = static_cast<int>(refined.size());
  for (const law::RefinedStart& other : refined) {
    if (law::same_optimum(best.coefficients, other.coefficients)) ++fit.starts_agreeing;
  }
}

}  // namespace

LawFit fit_law(const LawData& data, const LawFitOptions& options) {
  validate(data);
  LawFit fit;
  fit.law.name = "fit";
  fit.law.form = data.form;
  fit.observations = data.size();
  fit.obstacles = law::data_obstacles(data);
  if (!fit.obstacles.empty()) {
    fit.status = LawFitStatus::kNotIdentifiable;
    return fit;
  }
  const std::vector<law::RefinedStart> refined = refine_starts(law::LogRuns(data), options);
  if (refined.empty()) return fit;
  take_best(fit, refined);
  fit.obstacles = law::outcome_obstacles(data, refined);
  if (!fit.obstacles.empty()) {
    fit.status = LawFitStatus::kNotIdentifiable;
  } else if (converged(fit.termination)) {
    fit.status = LawFitStatus::kFitted;
    fit.law.window = window_of(data);
    fit.rmse = rmse_of(fit.law, data);
  }
  return fit;
}

}  // namespace smelt
