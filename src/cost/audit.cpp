#include "smelt/audit.hpp"

#include <cmath>

#include "smelt/cost.hpp"

namespace smelt {

namespace {

/// Matrix products alone; without stated keys the score term is left out.
Convention audit_convention(const Model& model) {
  Convention convention = convention_named("matmul", "");
  const bool keys = model.attended_keys || model.documents || model.sequence_length;
  if (!keys) convention.keys = KeyRule::kNone;
  return convention;
}

std::optional<double> ratio(Count a, Count b) {
  if (b == 0) return std::nullopt;
  return a.to_double() / b.to_double();
}

AuditedBudget judged(std::optional<double> ratio, const std::string& mark) {
  AuditedBudget budget{ratio, mark, false};
  if (ratio && (mark == "yes" || mark == "no")) {
    const bool equal = std::abs(*ratio - 1) <= kEqualBudget;
    budget.contradicts = equal != (mark == "yes");
  }
  return budget;
}

}  // namespace

BudgetRatios budget_ratios(const Model& looped, const Model& baseline) {
  const auto flops = [](const Model& model) {
    return count_flops(model, audit_convention(model)).training_per_token;
  };
  return {ratio(flops(looped), flops(baseline)),
          ratio(count_parameters(looped).matrix_weights, count_parameters(baseline).matrix_weights),
          ratio(kv_elements_per_token(looped), kv_elements_per_token(baseline))};
}

AuditResult audit(const std::vector<AuditPair>& pairs) {
  AuditResult result;
  for (const AuditPair& pair : pairs) {
    BudgetRatios ratios;
    if (pair.looped && pair.baseline) ratios = budget_ratios(*pair.looped, *pair.baseline);
    result.rows.push_back(
        {pair.study, pair.arxiv, pair.pair, judged(ratios.flops, pair.marks.flops),
         judged(ratios.params, pair.marks.params), judged(ratios.kv, pair.marks.kv)});
  }
  return result;
}

}  // namespace smelt
