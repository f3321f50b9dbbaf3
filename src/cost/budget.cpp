#include "smelt/budget.hpp"

#include <algorithm>
#include <cmath>

#include "smelt/error.hpp"
#include "smelt/flops.hpp"
#include "smelt/kv_cache.hpp"
#include "smelt/parameters.hpp"

namespace smelt {

Budget budget_of(const Model& model, const Convention& convention) {
  return {count_flops(model, convention).training_per_token, count_parameters(model).non_embedding,
          kv_elements_per_token(model)};
}

double Deviation::max_abs() const {
  return std::max({std::abs(flops), std::abs(params), std::abs(kv)});
}

namespace {

double relative(Count value, Count reference, const char* budget) {
  if (value == reference) return 0;
  if (reference == Count(0)) {
    throw InputError(budget, "the Baseline has none of it, so no deviation from it exists",
                     "compare models that both have some");
  }
  return (value - reference).to_double() / reference.to_double();
}

}  // namespace

Deviation deviation(const Budget& candidate, const Budget& baseline) {
  return {relative(candidate.training_flops_per_token, baseline.training_flops_per_token,
                   "training_flops_per_token"),
          relative(candidate.non_embedding_params, baseline.non_embedding_params,
                   "non_embedding_params"),
          relative(candidate.kv_elements_per_token, baseline.kv_elements_per_token,
                   "kv_elements_per_token")};
}

}  // namespace smelt
