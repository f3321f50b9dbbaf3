#pragma once

#include "smelt/model.hpp"

namespace smelt {

/// The two figures of a fully active control (S = 0).
struct SparsityControl {
  Count training_flops_per_token;  ///< F_0
  Count non_embedding_params;      ///< N_0
};

/// The same model with E = k.
Model fully_active(const Model& model);

/// S = 1 - (F / F_0) N_0 / N, compute-equivalent sparsity.
double sparsity(Count training_flops, Count non_embedding_params, const SparsityControl& control);

}  // namespace smelt
