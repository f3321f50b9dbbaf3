#include "smelt/compare_report.hpp"

#include "cost/named_counts.hpp"

namespace smelt {
CompareResult compare(const CompareRequest& request) {
  CompareResult result;
  result.convention = request.convention;
  const auto budget = [&](const Model& model) {
    return counted_for(model, [&] { return budget_of(model, request.convention); });
  };
  const Budget reference = budget(request.baseline);
  result.control = request.control ? *request.control : counted_for(request.baseline, [&] {
    return fully_active_control(request.baseline, request.convention);
  });
  const auto row = [&](const Model& model, const Budget& own) -> CompareRow {
    const double sparse =
        sparsity(own.training_flops_per_token, own.non_embedding_params, result.control.figures);
    return {model, own, deviation(own, reference), sparse, {}, {}};
  };
  result.baseline = row(request.baseline, reference);
  for (const Model& model : request.models) {
    CompareRow& added = result.rows.emplace_back(row(model, budget(model)));
    added.attribution = attribute_deviation(model, request.baseline, request.convention);
    if (request.all_conventions) {
      added.conventions = match_under_conventions(model, request.baseline, request.tolerance);
    }
  }
  return result;
}

}  // namespace smelt
