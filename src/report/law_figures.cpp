#include "smelt/law_figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace smelt {
namespace {

constexpr int kSamples = 81;  // of a curve

/// Geometric steps from end to end.
std::vector<double> samples(const LawRange& range) {
  std::vector<double> values;
  for (int i = 0; i < kSamples; ++i) {
    const double share = i / (kSamples - 1.0);
    values.push_back(range.lowest * std::pow(range.highest / range.lowest, share));
  }
  return values;
}

std::vector<FigurePoint> curve(const LawRange& range, const std::function<double(double)>& height) {
  std::vector<FigurePoint> points;
  for (const double x : samples(range)) points.push_back({x, height(x)});
  return points;
}

double budget_of_run(const LawData& runs, std::size_t i) {
  const std::vector<double> row = runs.row(i);
  return law_flops_per_token(runs.form, row) * row.back();
}

FigureSeries run_points(const LawData& runs, double floor) {
  FigureSeries series{"runs", FigureMark::kPoints, {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs.loss[i] > floor)
      series.points.push_back({budget_of_run(runs, i), runs.loss[i] - floor});
  }
  return series;
}

const FigureAxis kBudgetAxis = {"training FLOPs", true};

}  // namespace

Figure frontier_figure(const std::vector<Law>& laws, const LawFigureRange& range,
                       const std::optional<LawData>& runs) {
  Figure figure{
      "Loss of the compute-optimal split", kBudgetAxis, {"loss, nats per token", false}, {}};
  for (const Law& law : laws) {
    const Frontier frontier = frontier_of(law, range.scenario);
    figure.series.push_back({law.name, FigureMark::kLine, curve(range.budgets, [&](double budget) {
                               return frontier.optimal_loss(budget);
                             })});
  }
  if (runs) figure.series.push_back(run_points(*runs, 0));
  return figure;
}

Figure reducible_figure(const std::vector<Law>& laws, const LawFigureRange& range,
                        const std::optional<LawData>& runs) {
  Figure figure{"Reducible loss of the compute-optimal split",
                kBudgetAxis,
                {"loss - E, nats per token", true},
                {}};
  for (const Law& law : laws) {
    const Frontier frontier = frontier_of(law, range.scenario);
    figure.series.push_back({fmt::format("{}, gamma {:.3f}", law.name, frontier.gamma()),
                             FigureMark::kLine, curve(range.budgets, [&](double budget) {
                               return frontier.optimal_loss(budget) - frontier.floor;
                             })});
  }
  if (runs) figure.series.push_back(run_points(*runs, laws.front()[LawRole::kFloor]));
  return figure;
}

Figure gain_figure(const Law& target, const Law& reference, const LawRange& budgets,
                   const std::vector<LawScenario>& scenarios) {
  Figure figure{fmt::format("Compute that {} saves over {}", target.name, reference.name),
                kBudgetAxis,
                {"gain, % of the reference's compute", false},
                {}};
  for (const LawScenario& scenario : scenarios) {
    const std::string name = fmt::format("S {:g} %", 100 * scenario.sparsity);
    FigureSeries inside{name, FigureMark::kLine, {}};
    FigureSeries outside{name + ", extrapolated", FigureMark::kDashes, {}};
    for (const double budget : samples(budgets)) {
      const LawGain gain = compute_gain(target, reference, budget, scenario);
      if (!gain.gain) continue;
      (gain.extrapolated ? outside : inside).points.push_back({budget, 100 * *gain.gain});
    }
    for (FigureSeries& series : {std::ref(inside), std::ref(outside)}) {
      if (!series.points.empty()) figure.series.push_back(series);
    }
  }
  return figure;
}

Figure isoflop_figure(const Law& law, const std::vector<double>& budgets,
                      const LawScenario& scenario) {
  constexpr double kReach = 8;  // sizes from 1/8 to 8 times the optimum
  constexpr double kFlopsPerParam = 6;
  const Frontier frontier = frontier_of(law, scenario);
  Figure figure{fmt::format("IsoFLOP slices of {}", law.name),
                {"dense-equivalent parameters, F / 6", true},
                {"loss, nats per token", false},
                {}};
  FigureSeries optima{"optimum", FigureMark::kPoints, {}};
  for (const double budget : budgets) {
    const double best = frontier.optimal_flops_per_token(budget) / kFlopsPerParam;
    figure.series.push_back({fmt::format("{:.3g} FLOPs", budget), FigureMark::kLine,
                             curve({best / kReach, best * kReach}, [&](double params) {
                               return frontier.loss_at(budget, kFlopsPerParam * params);
                             })});
    optima.points.push_back({best, frontier.optimal_loss(budget)});
  }
  figure.series.push_back(optima);
  return figure;
}

Figure residual_figure(const Law& law, const LawData& runs) {
  Figure figure{fmt::format("Residuals of {}", law.name),
                kBudgetAxis,
                {"log predicted - log observed loss", false},
                {}};
  FigureSeries series{"runs", FigureMark::kPoints, {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double residual = std::log(loss(law, runs.row(i)) / runs.loss[i]);
    series.points.push_back({budget_of_run(runs, i), residual});
  }
  figure.series.push_back(series);
  return figure;
}

}  // namespace smelt
