#include "smelt/law_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace smelt {

LawPrediction predict(const Law& law, const std::string& model,
                      const std::vector<double>& variables) {
  LawPrediction row;
  row.law = law.name;
  row.model = model;
  row.form = law.form;
  row.variables = variables;
  row.budget = law_flops_per_token(law.form, variables) * variables.back();
  if (law.form == LawForm::kLoop && std::isfinite(law[LawRole::kExtraExponent])) {
    row.equivalent_params = law_capacity(law, variables);
  }
  if (is_complete(law) || !row.equivalent_params) row.loss = loss(law, variables);
  row.extrapolated = is_extrapolated(law, variables);
  return row;
}

LawDesignRow plan_design(const Law& law, double budget, const LawDesign& design,
                         const LawScenario& scenario) {
  LawScenario own = scenario;
  own.sparsity = design.sparsity;
  const LawPlan optimum = plan_budget(law, budget, own);
  LawDesignRow row;
  row.law = law.name;
  row.budget = budget;
  row.design = design;
  row.tokens = budget / design.flops_per_token;
  row.tokens_per_param = dense_equivalent_tokens(design.flops_per_token, row.tokens);
  row.loss = frontier_of(law, own).loss_at(budget, design.flops_per_token);
  row.excess = row.loss - optimum.loss;
  row.extrapolated =
      is_extrapolated(law, split_variables(law.form, own, design.flops_per_token, row.tokens));
  return row;
}

LawPlanRow plan_with_nearest(const Law& law, double budget, const LawScenario& scenario,
                             const std::vector<LawDesign>& designs) {
  constexpr double kSparsityReach = 0.02;
  LawPlanRow row{plan_budget(law, budget, scenario), std::nullopt};
  double nearest = 0;
  for (const LawDesign& design : designs) {
    if (law.form == LawForm::kSparse &&
        std::abs(design.sparsity - scenario.sparsity) > kSparsityReach) {
      continue;
    }
    const double distance = std::abs(std::log(design.flops_per_token / row.plan.flops_per_token));
    if (row.nearest && distance >= nearest) continue;
    nearest = distance;
    row.nearest = design;
  }
  return row;
}

LawGainResult tabulate_gain(const Law& target, const Law& reference,
                            const std::vector<double>& budgets,
                            const std::vector<LawScenario>& scenarios) {
  LawGainResult result;
  result.target = target.name;
  result.reference = reference.name;
  result.target_gamma = frontier_of(target, scenarios.front()).gamma();
  result.reference_gamma = frontier_of(reference, scenarios.front()).gamma();
  result.data_crossover_tokens = data_term_crossover(target, reference);
  for (const double budget : budgets) {
    for (const LawScenario& scenario : scenarios) {
      result.rows.push_back(compute_gain(target, reference, budget, scenario));
    }
  }
  return result;
}

namespace {

/// A quantity that every law of a form has, or has not (none: a gain out of reach).
struct Derivation {
  std::string name;
  std::function<std::optional<double>(const Law&)> value;
};

std::vector<Derivation> derivations_of(const LawFitRequest& request) {
  const LawScenario scenario = request.scenario;
  std::vector<Derivation> list = {
      {"gamma", [scenario](const Law& law) { return frontier_of(law, scenario).gamma(); }}};
  for (const double budget : request.budgets) {
    const auto plan = [scenario, budget](const Law& law) {
      return plan_budget(law, budget, scenario);
    };
    const std::string at = fmt::format("@{:g}", budget);
    list.push_back(
        {"flops_per_token" + at, [plan](const Law& law) { return plan(law).flops_per_token; }});
    list.push_back({"tokens" + at, [plan](const Law& law) { return plan(law).tokens; }});
    list.push_back(
        {"tokens_per_param" + at, [plan](const Law& law) { return plan(law).tokens_per_param; }});
    list.push_back({"loss" + at, [plan](const Law& law) { return plan(law).loss; }});
    if (!request.reference) continue;
    list.push_back(
        {"gain" + at, [scenario, budget, reference = *request.reference](const Law& law) {
           return compute_gain(law, reference, budget, scenario).gain;
         }});
  }
  return list;
}

/// The interval of a quantity over the bootstrap's laws; none where some law does not have it.
std::optional<Interval> interval_of(const Derivation& derivation, const LawFit& fit,
                                    const Bootstrap& bootstrap, double level) {
  std::vector<double> values;
  for (const LawCoefficients& coefficients : bootstrap.coefficients) {
    Law law = fit.law;
    law.coefficients = coefficients;
    if (!has_frontier(law)) return std::nullopt;
    const std::optional<double> value = derivation.value(law);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return percentile_interval(values, level);
}

std::vector<Derivation> coefficients_of(const Law& law) {
  std::vector<Derivation> list;
  const std::vector<std::string>& names = law_form_info(law.form).coefficients;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list.push_back({names[i], [i](const Law& one) { return one.coefficients[i]; }});
  }
  return list;
}

std::vector<LawQuantity> quantities(const std::vector<Derivation>& derivations, const LawFit& fit,
                                    const Bootstrap& bootstrap, double level) {
  std::vector<LawQuantity> list;
  for (const Derivation& derivation : derivations) {
    const std::optional<double> value = derivation.value(fit.law);
    if (!value) continue;
    list.push_back({derivation.name, *value, interval_of(derivation, fit, bootstrap, level)});
  }
  return list;
}

}  // namespace

LawFitResult evaluate_fit(const LawFitRequest& request) {
  LawFitResult result;
  result.source = request.source;
  result.data = request.data;
  result.options = request.options;
  result.level = request.level;
  result.fit = fit_law(request.data, request.options);
  if (result.fit.status != LawFitStatus::kFitted) return result;
  Bootstrap bootstrap;
  if (request.bootstrap.draws > 0) {
    bootstrap =
        bootstrap_law(request.data, result.fit, request.units, request.options, request.bootstrap);
  }
  result.draws = request.bootstrap.draws;
  result.failed_draws = bootstrap.failed;
  result.unit = request.unit;
  result.seed = request.bootstrap.seed;
  result.coefficients =
      quantities(coefficients_of(result.fit.law), result.fit, bootstrap, request.level);
  result.derived = quantities(derivations_of(request), result.fit, bootstrap, request.level);
  return result;
}

}  // namespace smelt
