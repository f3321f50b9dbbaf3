#pragma once

#include "smelt/component.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// Parameters, exact. A looped layer is stored once; `executed_active` counts it once per visit.
struct ParameterCounts {
  Breakdown components;         ///< everything stored, by component
  Breakdown active_components;  ///< active, by component
  Count total;                  ///< everything stored, multi-token-prediction modules left out
  Count non_embedding;          ///< total less embedding tables and output head's matrix
  Count active;           ///< non-embedding with k routed experts in place of E, one traversal
  Count executed_active;  ///< the same with each layer counted v_l times
  Count active_with_embeddings;  ///< active plus embedding tables and output head
  Count matrix_weights;  ///< of non_embedding, the weights that are multiplied: no norms, no biases
  Count mtp;             ///< multi-token-prediction modules, apart from the total
};

ParameterCounts count_parameters(const Model& model);

}  // namespace smelt
