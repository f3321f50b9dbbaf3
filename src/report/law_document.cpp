#include <fmt/format.h>

#include <algorithm>

#include "smelt/law_report.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

constexpr const char* kExtrapolatedNote =
    "* extrapolated: outside the runs that the law was fitted to";

Cell real_cell(double value, int digits) {
  return {fmt::format("{:.{}f}", value, digits), shortest(value)};
}
Cell unit_cell(double value) { return {with_unit(value), shortest(value)}; }
Cell power_cell(double value) { return {fmt::format("{:.3g}", value), shortest(value)}; }
Cell mark_cell(bool extrapolated) {
  return {extrapolated ? "*" : "", extrapolated ? "true" : "false"};
}

/// The last column of every table of laws: whether its row is an extrapolation.
template <typename Row, typename IsExtrapolated>
ColumnOf<Row> mark_column(IsExtrapolated is_extrapolated) {
  return {{"", "", "extrapolated", Align::kLeft},
          [=](const Row& row) { return mark_cell(is_extrapolated(row)); }};
}

template <typename Rows, typename IsExtrapolated>
void note_extrapolation(Document& document, const Rows& rows, IsExtrapolated is_extrapolated) {
  if (std::any_of(rows.begin(), rows.end(), is_extrapolated)) {
    document.notes.emplace_back(kExtrapolatedNote);
  }
}

std::string join_variables(const LawPrediction& row) {
  std::string text;
  const std::vector<std::string>& names = law_form_info(row.form).variables;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool small = names[i] == "sparsity" || names[i] == "visits";
    text +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i],
                    small ? fmt::format("{:.4g}", row.variables[i]) : with_unit(row.variables[i]));
  }
  return text;
}

std::vector<ColumnOf<LawPrediction>> prediction_columns() {
  return {
      {{"Law", "", "law", Align::kLeft},
       [](const LawPrediction& row) { return text_cell(row.law); }},
      {{"Budget", "FLOPs", "budget"},
       [](const LawPrediction& row) { return power_cell(row.budget); }},
      {{"Tokens", "", "tokens"},
       [](const LawPrediction& row) { return unit_cell(row.variables.back()); }},
      {{"Worth", "params", "equivalent_params"},
       [](const LawPrediction& row) {
         return row.equivalent_params ? unit_cell(*row.equivalent_params) : Cell{"", ""};
       }},
      {{"Loss", "nats", "loss"},
       [](const LawPrediction& row) {
         return row.loss ? real_cell(*row.loss, 4) : Cell{"unstated", ""};
       }},
      mark_column<LawPrediction>([](const LawPrediction& row) { return row.extrapolated; }),
  };
}

std::vector<ColumnOf<LawPlanRow>> plan_columns() {
  return {
      {{"Law", "", "law", Align::kLeft},
       [](const LawPlanRow& row) { return text_cell(row.plan.law); }},
      {{"Budget", "FLOPs", "budget"},
       [](const LawPlanRow& row) { return power_cell(row.plan.budget); }},
      {{"S", "%", "sparsity"},
       [](const LawPlanRow& row) { return percent_cell(row.plan.scenario.sparsity); }},
      {{"FLOPs", "/token", "flops_per_token"},
       [](const LawPlanRow& row) { return unit_cell(row.plan.flops_per_token); }},
      {{"Tokens", "", "tokens"}, [](const LawPlanRow& row) { return unit_cell(row.plan.tokens); }},
      {{"Tokens", "/param", "tokens_per_param"},
       [](const LawPlanRow& row) { return real_cell(row.plan.tokens_per_param, 1); }},
      {{"Loss", "nats", "loss"}, [](const LawPlanRow& row) { return real_cell(row.plan.loss, 4); }},
      mark_column<LawPlanRow>([](const LawPlanRow& row) { return row.plan.extrapolated; }),
      {{"Nearest", "", "nearest", Align::kLeft},
       [](const LawPlanRow& row) { return text_cell(row.nearest ? row.nearest->name : ""); }},
  };
}

std::vector<ColumnOf<LawDesignRow>> design_columns() {
  return {
      {{"Model", "", "model", Align::kLeft},
       [](const LawDesignRow& row) { return text_cell(row.design.name); }},
      {{"Law", "", "law", Align::kLeft},
       [](const LawDesignRow& row) { return text_cell(row.law); }},
      {{"Budget", "FLOPs", "budget"},
       [](const LawDesignRow& row) { return power_cell(row.budget); }},
      {{"Tokens", "", "tokens"}, [](const LawDesignRow& row) { return unit_cell(row.tokens); }},
      {{"Tokens", "/param", "tokens_per_param"},
       [](const LawDesignRow& row) { return real_cell(row.tokens_per_param, 1); }},
      {{"Loss", "nats", "loss"}, [](const LawDesignRow& row) { return real_cell(row.loss, 4); }},
      {{"Excess", "nats", "excess"},
       [](const LawDesignRow& row) { return real_cell(row.excess, 4); }},
      mark_column<LawDesignRow>([](const LawDesignRow& row) { return row.extrapolated; }),
  };
}

std::vector<ColumnOf<LawGain>> gain_columns() {
  return {
      {{"Budget", "FLOPs", "budget"}, [](const LawGain& row) { return power_cell(row.budget); }},
      {{"S", "%", "sparsity"},
       [](const LawGain& row) { return percent_cell(row.scenario.sparsity); }},
      {{"Gain", "%", "gain"},
       [](const LawGain& row) {
         return row.gain ? percent_cell(*row.gain) : Cell{"out of reach", ""};
       }},
      mark_column<LawGain>([](const LawGain& row) { return row.extrapolated; }),
  };
}

Cell end_cell(const std::optional<Interval>& interval, double Interval::*end) {
  if (!interval) return {"", ""};
  return {fmt::format("{:.5g}", (*interval).*end), shortest((*interval).*end)};
}

std::vector<ColumnOf<LawQuantity>> quantity_columns(double level, bool intervals) {
  std::vector<ColumnOf<LawQuantity>> columns = {
      {{"Quantity", "", "quantity", Align::kLeft},
       [](const LawQuantity& one) { return text_cell(one.name); }},
      {{"Value", "", "value"},
       [](const LawQuantity& one) {
         return Cell{fmt::format("{:.6g}", one.value), shortest(one.value)};
       }},
  };
  if (!intervals) return columns;
  const std::string interval = fmt::format("{} %", percent(level, 0));
  columns.push_back({{"From", interval, "lowest"}, [](const LawQuantity& one) {
                       return end_cell(one.interval, &Interval::lowest);
                     }});
  columns.push_back({{"To", interval, "highest"}, [](const LawQuantity& one) {
                       return end_cell(one.interval, &Interval::highest);
                     }});
  return columns;
}

Document refusal(const LawFitResult& result) {
  const LawFit& fit = result.fit;
  Document document;
  if (fit.obstacles.empty()) {
    document.heading.push_back(
        fmt::format("not converged: {} starts, none of which reached a minimum", fit.starts));
  }
  for (const LawObstacle& obstacle : fit.obstacles) {
    document.heading.push_back(
        fmt::format("{}: {}", law_fit_status_name(fit.status), obstacle.what));
    document.heading.push_back(fmt::format("  to settle it: {}", obstacle.remedy));
  }
  return document;
}

std::vector<std::string> fit_notes(const LawFitResult& result) {
  const LawFit& fit = result.fit;
  std::vector<std::string> notes = {
      fmt::format("objective {:.6g} (Huber, delta {:g}, summed), rmse {:.5f} nats", fit.objective,
                  result.options.huber_delta, fit.rmse),
      fmt::format("ended by: {}; gradient {:.1e}; condition {:.3g}; {} of {} starts agree",
                  termination_name(fit.termination), fit.gradient_norm, fit.condition,
                  fit.starts_agreeing, fit.starts)};
  if (result.draws > 0) {
    notes.push_back(fmt::format("intervals: {} draws by {}, seed {}, {} without a minimum",
                                result.draws, result.unit, result.seed, result.failed_draws));
  }
  return notes;
}

}  // namespace

Document to_document(const LawPredictResult& result) {
  Document document;
  for (const LawPrediction& row : result.rows) {
    document.heading.push_back(
        fmt::format("{}: {}", row.model.empty() ? row.law : row.model, join_variables(row)));
  }
  document.tables.push_back(tabulate("predict", "", prediction_columns(), result.rows));
  note_extrapolation(document, result.rows, [](const auto& row) { return row.extrapolated; });
  return document;
}

Document to_document(const LawPlanResult& result) {
  Document document;
  document.heading.emplace_back("Compute-optimal split of a budget of training FLOPs");
  document.tables.push_back(tabulate("plan", "", plan_columns(), result.rows));
  if (!result.designs.empty()) {
    document.tables.push_back(
        tabulate("models", "Models at hand on the same budget", design_columns(), result.designs));
  }
  note_extrapolation(document, result.rows, [](const auto& row) { return row.plan.extrapolated; });
  document.notes.emplace_back("/param: per dense-equivalent parameter, F / 6");
  return document;
}

Document to_document(const LawGainResult& result) {
  Document document;
  document.heading.push_back(
      fmt::format("Compute that {} saves over {} at equal loss", result.target, result.reference));
  document.tables.push_back(tabulate("gain", "", gain_columns(), result.rows));
  note_extrapolation(document, result.rows, [](const auto& row) { return row.extrapolated; });
  document.notes.push_back(
      fmt::format("gain 1 - C / C_ref: {} needs C_ref for the loss that {} reaches at C",
                  result.reference, result.target));
  document.notes.push_back(fmt::format("gamma {:.3f} ({}), {:.3f} ({})", result.target_gamma,
                                       result.target, result.reference_gamma, result.reference));
  if (result.data_crossover_tokens) {
    document.notes.push_back(
        fmt::format("the data terms are equal at {:.3g} tokens", *result.data_crossover_tokens));
  }
  return document;
}

Document to_document(const LawFitResult& result) {
  if (result.fit.status != LawFitStatus::kFitted) return refusal(result);
  Document document;
  document.heading.push_back(fmt::format("{} fitted to {} runs of {}",
                                         law_form_info(result.fit.law.form).formula,
                                         result.fit.observations, result.source));
  const auto columns = quantity_columns(result.level, result.draws > 0);
  document.tables.push_back(tabulate("coefficients", "", columns, result.coefficients));
  document.tables.push_back(tabulate("derived", "Derived", columns, result.derived));
  document.notes = fit_notes(result);
  return document;
}

}  // namespace smelt
