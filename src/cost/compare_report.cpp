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
    return {
        model, own, deviation(own, reference),
        sparsity(own.training_flops_per_token, own.non_embedding_params, result.control.figures)};
  };
  result.baseline = row(request.baseline, reference);
  for (const Model& model : request.models) {
    result.rows.push_back(row(model, budget(model)));
  }
  return result;
}

}  // namespace smelt
