#include "smelt/sparsity.hpp"

namespace smelt {

Model fully_active(const Model& model) {
  Model control = model;
  for (Layer& layer : control.layers) layer.ffn.num_experts = layer.ffn.num_experts_per_tok;
  return control;
}

double sparsity(Count training_flops, Count non_embedding_params, const SparsityControl& control) {
  const double equivalent = training_flops.to_double() /
                            control.training_flops_per_token.to_double() *
                            control.non_embedding_params.to_double();
  return 1 - equivalent / non_embedding_params.to_double();
}

}  // namespace smelt
