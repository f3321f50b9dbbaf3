#include "smelt/dimensions.hpp"

#include <algorithm>

#include "smelt/rational.hpp"

namespace smelt {

namespace {

/// value x now / before, nearest, at least 1; 0 stays 0.
std::int64_t in_proportion(std::int64_t value, std::int64_t now, std::int64_t before) {
  if (value == 0 || before == 0 || now == before) return value;
  return std::max<std::int64_t>(1, round_product(value, Rational(now, before)).value());
}

bool routes(const Layer& layer) { return layer.ffn.num_experts > 0; }

struct Resize {
  const Dimensions& now;
  const Dimensions& before;

  void operator()(GroupedQueryAttention& a) const {
    if (!now.heads || !before.heads) return;
    a.num_heads = in_proportion(a.num_heads, now.heads->num_heads, before.heads->num_heads);
    a.num_key_value_heads = in_proportion(a.num_key_value_heads, now.heads->num_key_value_heads,
                                          before.heads->num_key_value_heads);
    a.head_dim = in_proportion(a.head_dim, now.heads->head_dim, before.heads->head_dim);
  }

  void operator()(LatentAttention& a) const {
    if (!now.ranks || !before.ranks) return;
    a.q_lora_rank = in_proportion(a.q_lora_rank, now.ranks->q_lora_rank, before.ranks->q_lora_rank);
    a.kv_lora_rank =
        in_proportion(a.kv_lora_rank, now.ranks->kv_lora_rank, before.ranks->kv_lora_rank);
  }

  void operator()(GatedLinearAttention&) const {}

  void operator()(Ffn& ffn) const {
    ffn.num_experts = in_proportion(ffn.num_experts, now.num_experts, before.num_experts);
    for (std::int64_t* width : {&ffn.expert_width, &ffn.shared_expert_width, &ffn.dense_width}) {
      *width = in_proportion(*width, now.ffn_width, before.ffn_width);
    }
  }
};

}  // namespace

Dimensions dimensions_of(const Model& model) {
  Dimensions dimensions;
  dimensions.hidden_size = model.hidden_size;
  const auto routed = std::find_if(model.layers.begin(), model.layers.end(), routes);
  if (routed != model.layers.end()) {
    dimensions.num_experts = routed->ffn.num_experts;
    dimensions.ffn_width = routed->ffn.expert_width;
  } else if (!model.layers.empty()) {
    dimensions.ffn_width = model.layers.front().ffn.dense_width;
  }
  for (const Layer& layer : model.layers) {
    if (!dimensions.heads) dimensions.heads = head_geometry(layer.attention);
    const auto* latent = std::get_if<LatentAttention>(&layer.attention);
    if (latent != nullptr && !dimensions.ranks) {
      dimensions.ranks = LatentRanks{latent->q_lora_rank, latent->kv_lora_rank};
    }
  }
  return dimensions;
}

Model with_dimensions(const Model& model, const Dimensions& dimensions) {
  const Dimensions before = dimensions_of(model);
  const Resize resize{dimensions, before};
  Model resized = model;
  resized.hidden_size = dimensions.hidden_size;
  for (std::vector<Layer>* layers : {&resized.layers, &resized.mtp_layers}) {
    for (Layer& layer : *layers) {
      std::visit(resize, layer.attention);
      resize(layer.ffn);
    }
  }
  return resized;
}

}  // namespace smelt
