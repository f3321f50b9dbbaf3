#include "weights.hpp"

namespace smelt {

namespace {

struct AttentionWeights {
  Count hidden;
  Count matrices = 0;
  Count biases = 0;
  Count norms = 0;

  /// H Q + 2 H W + Q H, and H Q for an output gate.
  void operator()(const GroupedQueryAttention& a) {
    const Count query = Count(a.num_heads) * a.head_dim;
    const Count key = a.own_keys_values ? Count(a.num_key_value_heads) * a.head_dim : Count(0);
    matrices = hidden * (query * (a.output_gate ? 3 : 2) + key * 2);
    if (a.bias.query) biases += query;
    if (a.bias.key) biases += key;
    if (a.bias.value) biases += key;
    if (a.bias.output) biases += hidden;
    if (a.sinks) biases += a.num_heads;
    if (a.qk_norm == QkNorm::kPerHead) norms = Count(a.head_dim) * (a.own_keys_values ? 2 : 1);
    if (a.qk_norm == QkNorm::kFull) norms = query + key;
  }

  /// Queries H c_q + c_q n_q d_qk (or H n_q d_qk), keys and values H (c_kv + d_rope) +
  /// c_kv n_q (d_nope + d_v), output n_q d_v H; a norm on each latent.
  void operator()(const LatentAttention& a) {
    const Count query = Count(a.num_heads) * a.qk_head_dim();
    const Count down = Count(a.kv_lora_rank) + a.qk_rope_head_dim;
    matrices = a.q_lora_rank > 0 ? Count(a.q_lora_rank) * (hidden + query) : hidden * query;
    matrices += hidden * down;
    matrices += Count(a.kv_lora_rank) * a.num_heads * (Count(a.qk_nope_head_dim) + a.v_head_dim);
    matrices += Count(a.num_heads) * a.v_head_dim * hidden;
    if (a.bias) biases = Count(a.q_lora_rank) + down + hidden;
    norms = Count(a.q_lora_rank) + a.kv_lora_rank;
  }

  /// Queries, keys, values and output gate H (2 K + 2 V), the two gates H 2 n_v, a depthwise
  /// convolution over 2 K + V channels, output V H; a decay and a step bias per value head and a
  /// norm of one value head.
  void operator()(const GatedLinearAttention& a) {
    const Count key = Count(a.num_key_heads) * a.key_head_dim;
    const Count value = Count(a.num_value_heads) * a.value_head_dim;
    matrices = hidden * (key * 2 + value * 2 + Count(a.num_value_heads) * 2);
    matrices += (key * 2 + value) * a.conv_kernel;
    matrices += value * hidden;
    biases = Count(a.num_value_heads) * 2;
    norms = a.value_head_dim;
  }
};

/// g H F and, where the matrices add them, g - 1 biases of F and one of H.
struct Expert {
  Count matrices;
  Count biases;
};

Expert expert_of(Count hidden, Count matrices, Count width, bool bias) {
  return {matrices * hidden * width, bias ? (matrices - 1) * width + hidden : Count(0)};
}

void put(Weights& weights, Component component, Count matrices, Count vectors) {
  weights.matrices[component] = matrices;
  weights.vectors[component] = vectors;
}

}  // namespace

SublayerWeights attention_weights(const Layer& layer, const Model& model) {
  AttentionWeights attention{model.hidden_size};
  std::visit(attention, layer.attention);
  Weights weights;
  put(weights, Component::kAttention, attention.matrices, attention.biases + attention.norms);
  weights.qk_norms = attention.norms;
  weights.vectors[Component::kNorms] =
      Count(layer.norms) * norm_vectors(model.norm) * model.hidden_size;
  return {weights, weights};
}

SublayerWeights ffn_weights(const Layer& layer, const Model& model) {
  const Ffn& ffn = layer.ffn;
  const Count hidden = model.hidden_size;
  const Expert routed = expert_of(hidden, ffn.matrices, ffn.expert_width, ffn.expert_bias);
  const Expert shared = expert_of(hidden, ffn.matrices, ffn.shared_expert_width, ffn.expert_bias);
  SublayerWeights weights;
  Weights& stored = weights.stored;
  const Count biases_per_expert = (ffn.router_bias ? 1 : 0) + (ffn.router_correction_bias ? 1 : 0);
  put(stored, Component::kRouter, hidden * ffn.num_experts, biases_per_expert * ffn.num_experts);
  const Count gate = ffn.shared_expert_gate ? hidden : Count(0);
  put(stored, Component::kSharedExperts, shared.matrices * ffn.num_shared_experts + gate,
      shared.biases * ffn.num_shared_experts);
  if (ffn.dense_width > 0) {
    const Expert dense = expert_of(hidden, ffn.matrices, ffn.dense_width, ffn.bias);
    put(stored, Component::kDenseFfn, dense.matrices, dense.biases);
  }
  weights.active = stored;
  put(stored, Component::kExperts, routed.matrices * ffn.num_experts,
      routed.biases * ffn.num_experts);
  put(weights.active, Component::kExperts, routed.matrices * ffn.num_experts_per_tok,
      routed.biases * ffn.num_experts_per_tok);
  return weights;
}

namespace {

/// Sum of (in + out) over the matrices of attention.
struct AttentionEnds {
  Count hidden;

  Count operator()(const GroupedQueryAttention& a) const {
    const Count query = Count(a.num_heads) * a.head_dim;
    const Count key = a.own_keys_values ? Count(a.num_key_value_heads) * a.head_dim : Count(0);
    const Count key_value = a.own_keys_values ? (hidden + key) * 2 : Count(0);
    return (hidden + query) * (a.output_gate ? 3 : 2) + key_value;
  }
  Count operator()(const LatentAttention& a) const {
    const Count query = Count(a.num_heads) * a.qk_head_dim();
    const Count query_ends =
        a.q_lora_rank > 0 ? hidden + a.q_lora_rank + a.q_lora_rank + query : hidden + query;
    const Count up = Count(a.num_heads) * (Count(a.qk_nope_head_dim) + a.v_head_dim);
    return query_ends + hidden + a.kv_lora_rank + a.qk_rope_head_dim + a.kv_lora_rank + up +
           Count(a.num_heads) * a.v_head_dim + hidden;
  }
  Count operator()(const GatedLinearAttention& a) const {
    const Count key = Count(a.num_key_heads) * a.key_head_dim;
    const Count value = Count(a.num_value_heads) * a.value_head_dim;
    return hidden + key * 2 + value * 2 + hidden + Count(a.num_value_heads) * 2 + value + hidden;
  }
};

}  // namespace

Count adapter_weights(const Layer& layer, const Model& model) {
  const Count hidden = model.hidden_size;
  const Ffn& ffn = layer.ffn;
  Count ends = std::visit(AttentionEnds{hidden}, layer.attention);
  if (ffn.dense_width > 0) ends += (hidden + ffn.dense_width) * ffn.matrices;
  ends += (hidden + ffn.shared_expert_width) * ffn.matrices * ffn.num_shared_experts;
  return ends * model.loop.adapter_rank;
}

}  // namespace smelt
