#include "smelt/law.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "law/domain.hpp"
#include "smelt/error.hpp"

namespace smelt {

using law::require_admissible;

const std::vector<LawFormInfo>& law_forms() {
  static const std::vector<LawFormInfo> forms = {
      {LawForm::kChinchilla,
       "chinchilla",
       "L(N, D) = E + A N^-alpha + B D^-beta",
       {"E", "A", "B", "alpha", "beta"},
       {"params", "tokens"}},
      {LawForm::kSparse,
       "sparse",
       "L(F, S, D) = E + A (1-S)^b F^-a + K D^-c",
       {"E", "A", "K", "a", "c", "b"},
       {"flops_per_token", "sparsity", "tokens"}},
      {LawForm::kLoop,
       "loop",
       "L = E + A (N_once + r^phi N_rec)^-alpha + B D^-beta",
       {"E", "A", "B", "alpha", "beta", "phi"},
       {"once_params", "recurrent_params", "visits", "tokens"}},
  };
  return forms;
}

const LawFormInfo& law_form_info(LawForm form) {
  return law_forms()[static_cast<std::size_t>(form)];
}

const LawFormInfo& law_form_named(std::string_view name, std::string_view where) {
  std::vector<std::string> known;
  for (const LawFormInfo& info : law_forms()) {
    if (info.name == name) return info;
    known.push_back(info.name);
  }
  const std::string hint = did_you_mean(name, known);
  throw InputError(std::string(where), fmt::format("unknown form of law '{}'", name),
                   hint.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : hint);
}

bool LawRange::contains(double value) const {
  constexpr double kRoundOff = 1e-9;
  return value >= lowest - kRoundOff * std::abs(lowest) &&
         value <= highest + kRoundOff * std::abs(highest);
}

bool is_complete(const Law& law) {
  const std::size_t count = law_form_info(law.form).coefficients.size();
  return std::all_of(law.coefficients.begin(),
                     law.coefficients.begin() + static_cast<std::ptrdiff_t>(count),
                     [](double value) { return std::isfinite(value); });
}

namespace {

void require_complete(const Law& law) {
  if (is_complete(law)) return;
  const LawFormInfo& info = law_form_info(law.form);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < info.coefficients.size(); ++i) {
    if (!std::isfinite(law.coefficients[i])) missing.push_back(info.coefficients[i]);
  }
  throw InputError(fmt::format("law '{}'", law.name),
                   fmt::format("its source states no {}", fmt::join(missing, ", ")),
                   "fit the form to runs of your own with smelt law fit");
}

bool in_window(const Law& law, const std::string& variable, double value) {
  const auto range = law.window.find(variable);
  return range == law.window.end() || range->second.contains(value);
}

constexpr double kTrainingFlopsPerParam = 6;  ///< per token: forward 2, backward 4

/// The capacity X that one training FLOP per token buys: 1 / 6 of a parameter, less where a loop's
/// visits are worth less than they cost.
double capacity_per_flop(const Law& law, const LawScenario& scenario) {
  if (law.form == LawForm::kSparse) return 1;
  if (law.form == LawForm::kChinchilla) return 1 / kTrainingFlopsPerParam;
  const double share = scenario.recurrent_share;
  const double worth = 1 - share + share * std::pow(scenario.visits, law[LawRole::kExtraExponent]);
  const double cost = 1 - share + share * scenario.visits;
  return worth / cost / kTrainingFlopsPerParam;
}

}  // namespace

double law_capacity(const Law& law, const std::vector<double>& variables) {
  if (law.form != LawForm::kLoop) return variables[0];
  return variables[0] + std::pow(variables[2], law[LawRole::kExtraExponent]) * variables[1];
}

double loss(const Law& law, const std::vector<double>& variables) {
  const LawFormInfo& info = law_form_info(law.form);
  assert(variables.size() == info.variables.size());
  require_complete(law);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    require_admissible(info.variables[i], variables[i]);
  }
  double capacity_term = law[LawRole::kCapacityScale] *
                         std::pow(law_capacity(law, variables), -law[LawRole::kCapacityExponent]);
  if (law.form == LawForm::kSparse) {
    capacity_term *= std::pow(1 - variables[1], law[LawRole::kExtraExponent]);
  }
  const double data_term =
      law[LawRole::kDataScale] * std::pow(variables.back(), -law[LawRole::kDataExponent]);
  return law[LawRole::kFloor] + capacity_term + data_term;
}

double law_flops_per_token(LawForm form, const std::vector<double>& variables) {
  switch (form) {
    case LawForm::kSparse:
      return variables[0];
    case LawForm::kLoop:
      return kTrainingFlopsPerParam * (variables[0] + variables[2] * variables[1]);
    case LawForm::kChinchilla:
      break;
  }
  return kTrainingFlopsPerParam * variables[0];
}

bool is_extrapolated(const Law& law, const std::vector<double>& variables) {
  const LawFormInfo& info = law_form_info(law.form);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!in_window(law, info.variables[i], variables[i])) return true;
  }
  return !in_window(law, "budget", law_flops_per_token(law.form, variables) * variables.back());
}

std::vector<double> split_variables(LawForm form, const LawScenario& scenario,
                                    double flops_per_token, double tokens) {
  if (form == LawForm::kSparse) return {flops_per_token, scenario.sparsity, tokens};
  const double params = flops_per_token / kTrainingFlopsPerParam;
  if (form == LawForm::kChinchilla) return {params, tokens};
  const double share = scenario.recurrent_share;
  const double stored = params / (1 - share + share * scenario.visits);
  return {stored * (1 - share), stored * share, scenario.visits, tokens};
}

double dense_equivalent_tokens(double flops_per_token, double tokens) {
  return tokens / (flops_per_token / kTrainingFlopsPerParam);
}

double Frontier::gamma() const {
  return capacity_exponent * data_exponent / (capacity_exponent + data_exponent);
}

double Frontier::optimal_flops_per_token(double budget) const {
  const double sum = capacity_exponent + data_exponent;
  const double ratio = capacity_exponent * capacity_scale / (data_exponent * data_scale);
  return std::pow(ratio, 1 / sum) * std::pow(budget, data_exponent / sum);
}

double Frontier::loss_at(double budget, double flops_per_token) const {
  return floor + capacity_scale * std::pow(flops_per_token, -capacity_exponent) +
         data_scale * std::pow(budget / flops_per_token, -data_exponent);
}

double Frontier::optimal_loss(double budget) const {
  return loss_at(budget, optimal_flops_per_token(budget));
}

std::optional<double> Frontier::budget_for(double target_loss) const {
  if (target_loss <= floor) return std::nullopt;
  const double at_one = optimal_loss(1) - floor;  // M: the reducible loss at C = 1
  const double budget = std::pow((target_loss - floor) / at_one, -1 / gamma());
  if (!std::isfinite(budget)) return std::nullopt;
  return budget;
}

bool has_frontier(const Law& law) {
  return law[LawRole::kCapacityScale] > 0 && law[LawRole::kDataScale] > 0 &&
         law[LawRole::kCapacityExponent] > 0 && law[LawRole::kDataExponent] > 0;
}

Frontier frontier_of(const Law& law, const LawScenario& scenario) {
  require_complete(law);
  require_admissible("sparsity", scenario.sparsity);
  require_admissible("visits", scenario.visits);
  require_admissible("recurrent_share", scenario.recurrent_share);
  Frontier frontier{law[LawRole::kFloor], law[LawRole::kCapacityScale], law[LawRole::kDataScale],
                    law[LawRole::kCapacityExponent], law[LawRole::kDataExponent]};
  if (!has_frontier(law)) {
    throw InputError(fmt::format("law '{}'", law.name), "it has no compute-optimal split",
                     "both terms must fall: scales and exponents above 0");
  }
  frontier.capacity_scale *=
      std::pow(capacity_per_flop(law, scenario), -frontier.capacity_exponent);
  if (law.form == LawForm::kSparse) {
    frontier.capacity_scale *= std::pow(1 - scenario.sparsity, law[LawRole::kExtraExponent]);
  }
  return frontier;
}

LawPlan plan_budget(const Law& law, double budget, const LawScenario& scenario) {
  require_admissible("budget", budget);
  const Frontier frontier = frontier_of(law, scenario);
  LawPlan plan;
  plan.law = law.name;
  plan.budget = budget;
  plan.scenario = scenario;
  plan.flops_per_token = frontier.optimal_flops_per_token(budget);
  plan.tokens = budget / plan.flops_per_token;
  plan.tokens_per_param = dense_equivalent_tokens(plan.flops_per_token, plan.tokens);
  plan.loss = frontier.optimal_loss(budget);
  plan.extrapolated =
      is_extrapolated(law, split_variables(law.form, scenario, plan.flops_per_token, plan.tokens));
  return plan;
}

LawGain compute_gain(const Law& target, const Law& reference, double budget,
                     const LawScenario& scenario) {
  LawGain result;
  result.budget = budget;
  result.scenario = scenario;
  const LawPlan plan = plan_budget(target, budget, scenario);
  const std::optional<double> reference_budget =
      frontier_of(reference, scenario).budget_for(plan.loss);
  result.extrapolated = plan.extrapolated || !reference_budget ||
                        plan_budget(reference, *reference_budget, scenario).extrapolated;
  if (reference_budget) result.gain = 1 - budget / *reference_budget;
  return result;
}

std::optional<double> data_term_crossover(const Law& one, const Law& other) {
  require_complete(one);
  require_complete(other);
  const double exponents = other[LawRole::kDataExponent] - one[LawRole::kDataExponent];
  if (exponents == 0) return std::nullopt;
  return std::pow(other[LawRole::kDataScale] / one[LawRole::kDataScale], 1 / exponents);
}

}  // namespace smelt
