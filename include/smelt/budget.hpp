#pragma once

#include "smelt/convention.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// The three budgets that a match holds equal, per token.
struct Budget {
  Count training_flops_per_token;
  Count non_embedding_params;
  Count kv_elements_per_token;

  friend bool operator==(const Budget&, const Budget&) = default;
};

Budget budget_of(const Model& model, const Convention& convention);

/// candidate / baseline - 1 for each budget.
struct Deviation {
  double flops = 0;
  double params = 0;
  double kv = 0;

  [[nodiscard]] double max_abs() const;
};

Deviation deviation(const Budget& candidate, const Budget& baseline);

}  // namespace smelt
