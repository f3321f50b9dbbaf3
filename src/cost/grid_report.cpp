#include "smelt/grid_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/named_counts.hpp"

namespace smelt {
namespace {

BaselineRow baseline_row(const Model& model, const Convention& convention) {
  return counted_for(model, [&]() -> BaselineRow {
    const Budget budget = budget_of(model, convention);
    return {model, budget, count_parameters(model).active,
            sparsity(budget.training_flops_per_token, budget.non_embedding_params,
                     fully_active_control(model, convention).figures)};
  });
}

const BaselineRow& baseline_named(const std::vector<BaselineRow>& baselines,
                                  const std::string& name, const std::string& wanted_by) {
  std::vector<std::string> names;
  for (const BaselineRow& baseline : baselines) {
    if (baseline.model.name == name) return baseline;
    names.push_back(baseline.model.name);
  }
  throw InputError(wanted_by, fmt::format("no Baseline '{}' in this grid", name),
                   did_you_mean(name, names));
}

MatchedRow matched_row(const GridCell& cell, const BaselineRow& baseline,
                       const Convention& convention) {
  return counted_for(cell.model, [&]() -> MatchedRow {
    const Budget budget = budget_of(cell.model, convention);
    const Control control =
        cell.control ? *cell.control : fully_active_control(baseline.model, convention);
    return {cell.baseline,
            cell.model,
            budget,
            count_parameters(cell.model).active,
            deviation(budget, baseline.budget),
            sparsity(budget.training_flops_per_token, budget.non_embedding_params, control.figures),
            control,
            cell.control.has_value()};
  });
}

void widen(Deviation& worst, const Deviation& deviation) {
  worst.flops = std::max(worst.flops, std::abs(deviation.flops));
  worst.params = std::max(worst.params, std::abs(deviation.params));
  worst.kv = std::max(worst.kv, std::abs(deviation.kv));
}

}  // namespace

GridResult evaluate_grid(const GridRequest& request) {
  GridResult result;
  result.name = request.name;
  result.description = request.description;
  result.source = request.source;
  result.convention = request.convention;
  result.published = request.published;
  result.unmatched = request.unmatched;
  for (const Model& model : request.baselines) {
    result.baselines.push_back(baseline_row(model, request.convention));
  }
  for (const GridCell& cell : request.cells) {
    const BaselineRow& baseline = baseline_named(result.baselines, cell.baseline, cell.model.name);
    result.rows.push_back(matched_row(cell, baseline, request.convention));
    widen(result.worst, result.rows.back().deviation);
  }
  return result;
}

}  // namespace smelt
