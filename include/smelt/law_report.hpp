#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/law.hpp"
#include "smelt/law_fit.hpp"

namespace smelt {

/// What `smelt law predict` answers: one law at one design.
struct LawPrediction {
  std::string law;
  std::string model;  ///< "" where the design was given by its variables
  LawForm form = LawForm::kChinchilla;
  std::vector<double> variables;  ///< in the form's order
  double budget = 0;              ///< C, training FLOPs
  /// Parameters of an unlooped model of equal loss, N_once + r^phi N_rec; kLoop with phi known.
  std::optional<double> equivalent_params;
  /// Nats per token; none where the law's source states too little.
  std::optional<double> loss;
  bool extrapolated = false;
};

LawPrediction predict(const Law& law, const std::string& model,
                      const std::vector<double>& variables);

struct LawPredictResult {
  std::vector<LawPrediction> rows;
};

/// A design at hand beside an optimum.
struct LawDesign {
  std::string name;
  double flops_per_token = 0;  ///< F, training FLOPs per token
  double sparsity = 0;         ///< S
};

/// A design trained on a whole budget: D = C / F.
struct LawDesignRow {
  std::string law;
  double budget = 0;
  LawDesign design;
  double tokens = 0;
  double tokens_per_param = 0;  ///< D per dense-equivalent parameter F / 6
  double loss = 0;              ///< nats per token
  double excess = 0;            ///< loss above the optimum of the same budget and sparsity
  bool extrapolated = false;
};

/// `design` (its S in place of the scenario's) on the budget under the law.
LawDesignRow plan_design(const Law& law, double budget, const LawDesign& design,
                         const LawScenario& scenario);

/// The optimum of a budget, and the design at hand whose FLOPs per token come nearest to it (in the
/// logarithm) among those within 0.02 of its sparsity; none where there is no such design.
struct LawPlanRow {
  LawPlan plan;
  std::optional<LawDesign> nearest;
};

LawPlanRow plan_with_nearest(const Law& law, double budget, const LawScenario& scenario,
                             const std::vector<LawDesign>& designs);

struct LawPlanResult {
  std::vector<LawPlanRow> rows;
  std::vector<LawDesignRow> designs;  ///< of the models asked for
};

struct LawGainResult {
  std::string target;
  std::string reference;
  std::vector<LawGain> rows;
  double target_gamma = 0;
  double reference_gamma = 0;
  std::optional<double> data_crossover_tokens;
};

/// The gain at every budget and scenario, budgets outermost.
LawGainResult tabulate_gain(const Law& target, const Law& reference,
                            const std::vector<double>& budgets,
                            const std::vector<LawScenario>& scenarios);

/// What `smelt law fit` is asked for.
struct LawFitRequest {
  std::string source;  ///< where the runs came from
  LawData data;
  LawFitOptions options;
  /// What is drawn together ("row", "cell", a column's name), for the result.
  std::string unit = "row";
  BootstrapUnits units;
  BootstrapOptions bootstrap;  ///< 0 draws for none
  double level = 0.9;          ///< of the intervals
  /// Budgets at which the plan, and the gain over `reference`, are derived.
  std::vector<double> budgets;
  LawScenario scenario;
  std::optional<Law> reference;
};

/// A quantity of a fitted law with its bootstrap interval.
struct LawQuantity {
  std::string name;
  double value = 0;
  std::optional<Interval> interval;
};

struct LawFitResult {
  std::string source;
  LawFit fit;
  LawData data;
  LawFitOptions options;
  std::vector<LawQuantity> coefficients;  ///< empty unless fitted
  std::vector<LawQuantity> derived;       ///< gamma, plans, gains
  std::size_t draws = 0;                  ///< of the bootstrap
  std::size_t failed_draws = 0;
  std::string unit;
  std::uint64_t seed = 0;
  double level = 0.9;
};

LawFitResult evaluate_fit(const LawFitRequest& request);

}  // namespace smelt
