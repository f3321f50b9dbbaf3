#include "io/result_parts.hpp"
#include "smelt/law_report.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

JsonValue optional_value(const std::optional<double>& value) {
  return value ? to_value(*value) : JsonValue();
}

std::string finish(JsonValue::Object members) {
  return write_json(JsonValue::object(std::move(members)));
}

JsonValue prediction_value(const LawPrediction& row) {
  JsonValue::Object members = {{"law", to_value(row.law)}};
  if (!row.model.empty()) members.emplace_back("model", to_value(row.model));
  const std::vector<std::string>& names = law_form_info(row.form).variables;
  for (std::size_t i = 0; i < names.size(); ++i) {
    members.emplace_back(names[i], to_value(row.variables[i]));
  }
  members.emplace_back("budget", to_value(row.budget));
  if (row.equivalent_params) {
    members.emplace_back("equivalent_params", to_value(*row.equivalent_params));
  }
  members.emplace_back("loss", optional_value(row.loss));
  members.emplace_back("extrapolated", JsonValue::boolean(row.extrapolated));
  return JsonValue::object(std::move(members));
}

JsonValue design_value(const LawDesign& design) {
  return JsonValue::object({{"name", to_value(design.name)},
                            {"flops_per_token", to_value(design.flops_per_token)},
                            {"sparsity", to_value(design.sparsity)}});
}

JsonValue plan_value(const LawPlanRow& row) {
  const LawPlan& plan = row.plan;
  return JsonValue::object({{"law", to_value(plan.law)},
                            {"budget", to_value(plan.budget)},
                            {"sparsity", to_value(plan.scenario.sparsity)},
                            {"flops_per_token", to_value(plan.flops_per_token)},
                            {"tokens", to_value(plan.tokens)},
                            {"tokens_per_param", to_value(plan.tokens_per_param)},
                            {"loss", to_value(plan.loss)},
                            {"extrapolated", JsonValue::boolean(plan.extrapolated)},
                            {"nearest", row.nearest ? design_value(*row.nearest) : JsonValue()}});
}

JsonValue design_row_value(const LawDesignRow& row) {
  return JsonValue::object({{"law", to_value(row.law)},
                            {"budget", to_value(row.budget)},
                            {"model", design_value(row.design)},
                            {"tokens", to_value(row.tokens)},
                            {"tokens_per_param", to_value(row.tokens_per_param)},
                            {"loss", to_value(row.loss)},
                            {"excess", to_value(row.excess)},
                            {"extrapolated", JsonValue::boolean(row.extrapolated)}});
}

JsonValue gain_value(const LawGain& row) {
  return JsonValue::object({{"budget", to_value(row.budget)},
                            {"sparsity", to_value(row.scenario.sparsity)},
                            {"gain", optional_value(row.gain)},
                            {"extrapolated", JsonValue::boolean(row.extrapolated)}});
}

template <typename Rows, typename ToValue>
JsonValue array_of(const Rows& rows, ToValue value) {
  JsonValue::Array items;
  for (const auto& row : rows) items.push_back(value(row));
  return JsonValue::array(std::move(items));
}

JsonValue values_of(const std::vector<LawQuantity>& quantities) {
  JsonValue::Object members;
  for (const LawQuantity& one : quantities) members.emplace_back(one.name, to_value(one.value));
  return JsonValue::object(std::move(members));
}

void add_intervals(JsonValue::Object& into, const std::vector<LawQuantity>& quantities) {
  for (const LawQuantity& one : quantities) {
    if (!one.interval) continue;
    into.emplace_back(one.name, JsonValue::array({to_value(one.interval->lowest),
                                                  to_value(one.interval->highest)}));
  }
}

JsonValue obstacle_value(const LawObstacle& obstacle) {
  return JsonValue::object(
      {{"what", to_value(obstacle.what)}, {"remedy", to_value(obstacle.remedy)}});
}

JsonValue bootstrap_value(const LawFitResult& result) {
  if (result.draws == 0) return {};
  return JsonValue::object(
      {{"draws", to_value(Count(static_cast<std::int64_t>(result.draws)))},
       {"failed", to_value(Count(static_cast<std::int64_t>(result.failed_draws)))},
       {"unit", to_value(result.unit)},
       {"seed", JsonValue::number(std::to_string(result.seed))},
       {"level", to_value(result.level)}});
}

}  // namespace

std::string to_json(const LawPredictResult& result) {
  JsonValue::Object members = result_members("law-predict");
  members.emplace_back("rows", array_of(result.rows, prediction_value));
  return finish(std::move(members));
}

std::string to_json(const LawPlanResult& result) {
  JsonValue::Object members = result_members("law-plan");
  members.emplace_back("rows", array_of(result.rows, plan_value));
  members.emplace_back("models", array_of(result.designs, design_row_value));
  return finish(std::move(members));
}

std::string to_json(const LawGainResult& result) {
  JsonValue::Object members = result_members("law-gain");
  members.emplace_back("target", to_value(result.target));
  members.emplace_back("reference", to_value(result.reference));
  members.emplace_back("rows", array_of(result.rows, gain_value));
  members.emplace_back("gamma",
                       JsonValue::object({{"target", to_value(result.target_gamma)},
                                          {"reference", to_value(result.reference_gamma)}}));
  members.emplace_back("data_term_crossover_tokens", optional_value(result.data_crossover_tokens));
  return finish(std::move(members));
}

std::string to_json(const LawFitResult& result) {
  const LawFit& fit = result.fit;
  const bool fitted = fit.status == LawFitStatus::kFitted;
  JsonValue::Object members = result_members("law-fit");
  members.emplace_back("status", to_value(law_fit_status_name(fit.status)));
  members.emplace_back("form", to_value(law_form_info(fit.law.form).name));
  members.emplace_back("coefficients", values_of(result.coefficients));
  members.emplace_back("derived", values_of(result.derived));
  JsonValue::Object intervals;
  add_intervals(intervals, result.coefficients);
  add_intervals(intervals, result.derived);
  members.emplace_back("intervals", JsonValue::object(std::move(intervals)));
  const auto number_if_fitted = [&](double value) {
    return fitted ? to_value(value) : JsonValue();
  };
  members.emplace_back("objective", number_if_fitted(fit.objective));
  members.emplace_back("rmse", number_if_fitted(fit.rmse));
  members.emplace_back("termination",
                       fitted ? to_value(termination_name(fit.termination)) : JsonValue());
  members.emplace_back("gradient_norm", number_if_fitted(fit.gradient_norm));
  members.emplace_back("condition", number_if_fitted(fit.condition));
  members.emplace_back("observations",
                       to_value(Count(static_cast<std::int64_t>(fit.observations))));
  members.emplace_back("huber_delta", to_value(result.options.huber_delta));
  members.emplace_back("starts",
                       JsonValue::object({{"refined", to_value(Count(fit.starts))},
                                          {"agreeing", to_value(Count(fit.starts_agreeing))}}));
  members.emplace_back("bootstrap", bootstrap_value(result));
  members.emplace_back("obstacles", array_of(fit.obstacles, obstacle_value));
  return finish(std::move(members));
}

}  // namespace smelt
