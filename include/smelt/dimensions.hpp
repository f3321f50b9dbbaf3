#pragma once

#include <cstdint>
#include <optional>

#include "smelt/attention.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// The low ranks of latent attention.
struct LatentRanks {
  std::int64_t q_lora_rank = 0;  ///< 0: queries are projected in one step, and stay so
  std::int64_t kv_lora_rank = 0;

  friend bool operator==(const LatentRanks&, const LatentRanks&) = default;
};

/// The sizes that a search moves, read from and written to all layers at once, whatever their
/// kinds.
struct Dimensions {
  std::int64_t hidden_size = 0;
  std::int64_t num_experts = 0;  ///< E; 0 where no layer routes
  /// F: width of a routed expert, or of the dense FFN where no layer routes.
  std::int64_t ffn_width = 0;
  std::optional<HeadGeometry> heads;  ///< of the grouped-query layers; absent without one
  std::optional<LatentRanks> ranks;   ///< of the latent layers; absent without one

  friend bool operator==(const Dimensions&, const Dimensions&) = default;
};

/// The sizes of the first layer that has each of them.
Dimensions dimensions_of(const Model& model);

/// The model with other sizes: every layer keeps its kind and place. A layer whose size differs
/// from the first one's changes in proportion, as do shared experts' and dense FFNs' widths with F,
/// to the nearest whole number and at least 1. Extras of fixed size stay as they are.
Model with_dimensions(const Model& model, const Dimensions& dimensions);

}  // namespace smelt
