#include "smelt/parameters.hpp"

#include "weights.hpp"

namespace smelt {

namespace {

/// Each module: a layer, a projection of the embedded token and the state to hidden_size, a norm on
/// either, and a norm behind.
Count mtp_parameters(const Model& model) {
  const Count hidden = model.hidden_size;
  Count total;
  for (const Layer& layer : model.mtp_layers) {
    total += attention_weights(layer, model).stored.all().total();
    total += ffn_weights(layer, model).stored.all().total();
    total += hidden * hidden * 2 + hidden * 3 * norm_vectors(model.norm);
  }
  return total;
}

}  // namespace

ParameterCounts count_parameters(const Model& model) {
  const StackWeights stack = stack_weights(model);
  ParameterCounts counts;
  counts.components = stack.stored.all();
  counts.non_embedding = counts.components.total();
  counts.matrix_weights = stack.stored.matrices.total();
  counts.active_components = stack.active.all();
  counts.active = counts.active_components.total();
  counts.executed_active = stack.executed.all().total();
  counts.components[Component::kEmbedding] = embedding_weights(model);
  counts.components[Component::kOutputHead] =
      model.tie_word_embeddings ? Count(0) : output_head_weights(model);
  counts.total = counts.components.total();
  counts.active_with_embeddings = counts.active + counts.total - counts.non_embedding;
  counts.mtp = mtp_parameters(model);
  return counts;
}

}  // namespace smelt
