#pragma once

#include "smelt/component.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// Weights by component, the multiplied ones apart from the vectors (norms, biases), because
/// conventions charge them differently.
struct Weights {
  Breakdown matrices;
  Breakdown vectors;
  Count qk_norms;     ///< part of vectors: norms inside attention
  Count final_norms;  ///< part of vectors: norms behind the stack

  void add(const Weights& other, Count factor = 1);
  [[nodiscard]] Breakdown all() const;
};

/// Weights of one set: E experts `stored`, k of them `active`.
struct SublayerWeights {
  Weights stored;
  Weights active;
};

SublayerWeights attention_weights(const Layer& layer, const Model& model);
SublayerWeights ffn_weights(const Layer& layer, const Model& model);

/// Low-rank pairs that one visit of a looped layer adds: rank x (in + out) for each adapted matrix.
Count adapter_weights(const Layer& layer, const Model& model);

/// Weights of everything but embedding tables and output head, as stored, as met in one traversal,
/// and as often as a token's forward and backward passes meet them.
struct StackWeights {
  Weights stored;
  Weights active;
  Weights executed;
  Weights backward;
};

StackWeights stack_weights(const Model& model);

/// Rows x width of the tables that a token is looked up in.
Count embedding_weights(const Model& model);

/// V H: what the head multiplies, tied or not.
Count output_head_weights(const Model& model);

}  // namespace smelt
