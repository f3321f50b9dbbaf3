#include "smelt/law_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

/// A point of a curve, and whether a law is extrapolated there.
struct CurvePoint {
  FigurePoint at;
  bool extrapolated = false;
};

/// Adds a curve as one entry of the legend: lines inside the window, dashes outside, each part from
/// where the one before it ends.
void add_curve(Figure& figure, const std::string& name, const std::vector<CurvePoint>& points) {
  std::vector<FigureSeries> parts;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FigureMark mark = points[i].extrapolated ? FigureMark::kDashes : FigureMark::kLine;
    if (parts.empty() || parts.back().mark != mark) {
      parts.push_back({"", mark, {}});
      if (i > 0) parts.back().points.push_back(points[i - 1].at);
    }
    parts.back().points.push_back(points[i].at);
  }
  if (parts.empty()) return;
  // The legend shows the first part: the line where there is one.
  std::stable_partition(parts.begin(), parts.end(),
                        [](const FigureSeries& part) { return part.mark == FigureMark::kLine; });
  parts.front().name = name;
  figure.series.insert(figure.series.end(), parts.begin(), parts.end());
}

/// A law's optimum along the budgets, less `floor`.
std::vector<CurvePoint> optima(const Law& law, const LawFigureRange& range, double floor) {
  std::vector<CurvePoint> points;
  for (const double budget : samples(range.budgets)) {
    const LawPlan plan = plan_budget(law, budget, range.scenario);
    points.push_back({{budget, plan.loss - floor}, plan.extrapolated});
  }
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
  for (const Law& law : laws) add_curve(figure, law.name, optima(law, range, 0));
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
    add_curve(figure, fmt::format("{}, gamma {:.3f}", law.name, frontier.gamma()),
              optima(law, range, frontier.floor));
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
    std::vector<CurvePoint> points;
    for (const double budget : samples(budgets)) {
      const LawGain gain = compute_gain(target, reference, budget, scenario);
      if (gain.gain) points.push_back({{budget, 100 * *gain.gain}, gain.extrapolated});
    }
    add_curve(figure, fmt::format("S {:g} %", 100 * scenario.sparsity), points);
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
  FigureSeries best{"optimum", FigureMark::kMarkers, {}};
  for (const double budget : budgets) {
    const double params = frontier.optimal_flops_per_token(budget) / kFlopsPerParam;
    std::vector<CurvePoint> slice;
    for (const double size : samples({params / kReach, params * kReach})) {
      const double flops = kFlopsPerParam * size;
      slice.push_back(
          {{size, frontier.loss_at(budget, flops)},
           is_extrapolated(law, split_variables(law.form, scenario, flops, budget / flops))});
    }
    add_curve(figure, fmt::format("{:.3g} FLOPs", budget), slice);
    best.points.push_back({params, frontier.optimal_loss(budget)});
  }
  figure.series.push_back(best);
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
