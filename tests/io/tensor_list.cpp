#include "tensor_list.hpp"

#include <algorithm>

using namespace smelt;

namespace {

using Shape = std::vector<std::int64_t>;

class Lister {
 public:
  explicit Lister(const Model& model) : model_(model), h_(model.hidden_size) {}

  std::vector<Tensor> take() { return std::move(tensors_); }

  void layer(const Layer& layer, const std::string& prefix, std::int64_t passes) {
    prefix_ = prefix;
    passes_ = passes;
    attention(layer.attention);
    ffn(layer.ffn);
    for (std::int64_t i = 0; i < layer.norms; ++i) norm("norm", h_);
  }

  void outside() {
    prefix_ = "model.";
    passes_ = 1;
    const std::int64_t tables =
        model_.embedding.embedding_size != 0 ? model_.embedding.embedding_size : h_;
    table("embed_tokens", {model_.vocab_size, tables});
    table("embed_positions", {model_.embedding.positions, tables});
    table("token_types", {model_.embedding.token_types, tables});
    if (model_.embedding.embedding_size != 0) {
      matrix("embedding_projection", {h_, tables});
      vector("embedding_projection.bias", {h_});
    }
    for (std::int64_t i = 0; i < model_.embedding.norms; ++i) norm("embedding_norm", tables);
    for (std::int64_t i = 0; i < model_.final_norms; ++i) norm("final_norm", h_);
    if (model_.has_output_head && !model_.tie_word_embeddings) {
      table("lm_head", {model_.vocab_size, h_});
    }
    if (model_.has_output_head && model_.output_head_bias) {
      vector("lm_head.bias", {model_.vocab_size});
    }
    for (const NamedWeights& extra : model_.extras) {
      passes_ = extra.visits;
      matrix(extra.name, {extra.matrix});
      vector(extra.name + ".vectors", {extra.vectors});
    }
  }

  /// An inject before each visit of each run of looped layers, and low-rank pairs of each visit.
  void loops() {
    prefix_ = "loop.";
    std::vector<std::int64_t> runs;
    std::int64_t last = 1;
    for (const Layer& layer : model_.layers) {
      if (layer.visits != 1 && layer.visits != last) runs.push_back(layer.visits);
      last = layer.visits;
    }
    if (runs.empty()) runs.push_back(1);
    for (const std::int64_t visits : runs) {
      passes_ = visits;
      for (std::int64_t i = 0; i < model_.loop.inject_matrices; ++i) matrix("inject", {h_, h_});
      for (std::int64_t i = 0; i < model_.loop.inject_vectors; ++i) vector("inject", {h_});
    }
    passes_ = 1;
    for (const Layer& layer : model_.layers) {
      for (std::int64_t visit = 0; layer.visits > 1 && visit < layer.visits; ++visit) {
        adapters(layer);
      }
    }
  }

  void mtp_module(const Layer& module) {
    layer(module, "mtp.", 1);
    matrix("eh_proj", {h_, 2 * h_});
    for (const char* name : {"enorm", "hnorm", "norm"}) norm(name, h_);
  }

 private:
  void add(Tensor tensor) {
    tensor.name = prefix_ + tensor.name;
    tensor.per_token = passes_;
    tensors_.push_back(std::move(tensor));
  }
  void matrix(const std::string& name, Shape shape, std::int64_t used = 1) {
    add({name, std::move(shape), false, false, used, 1});
  }
  void vector(const std::string& name, Shape shape, std::int64_t used = 1) {
    add({name, std::move(shape), false, true, used, 1});
  }
  void table(const std::string& name, Shape shape) {
    add({name, std::move(shape), true, false, 1, 1});
  }
  void norm(const std::string& name, std::int64_t width) {
    if (model_.norm == NormKind::kWeightless) return;
    vector(name + ".weight", {width});
    if (model_.norm == NormKind::kWeightAndBias) vector(name + ".bias", {width});
  }
  void linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias) {
    matrix(name + ".weight", {out, in});
    if (bias) vector(name + ".bias", {out});
  }

  void attention(const Attention& kind) {
    if (std::holds_alternative<GroupedQueryAttention>(kind)) {
      grouped(std::get<GroupedQueryAttention>(kind));
    } else if (std::holds_alternative<LatentAttention>(kind)) {
      latent(std::get<LatentAttention>(kind));
    } else {
      linear_attention(std::get<GatedLinearAttention>(kind));
    }
  }

  void grouped(const GroupedQueryAttention& a) {
    linear("q_proj", h_, a.num_heads * a.head_dim, a.bias.query);
    if (a.output_gate) linear("gate_proj", h_, a.num_heads * a.head_dim, false);
    if (a.own_keys_values) {
      linear("k_proj", h_, a.num_key_value_heads * a.head_dim, a.bias.key);
      linear("v_proj", h_, a.num_key_value_heads * a.head_dim, a.bias.value);
    }
    linear("o_proj", a.num_heads * a.head_dim, h_, a.bias.output);
    if (a.sinks) vector("sinks", {a.num_heads});
    if (a.qk_norm == QkNorm::kPerHead) {
      vector("q_norm", {a.head_dim});
      if (a.own_keys_values) vector("k_norm", {a.head_dim});
    }
    if (a.qk_norm == QkNorm::kFull) {
      vector("q_norm", {a.num_heads * a.head_dim});
      if (a.own_keys_values) vector("k_norm", {a.num_key_value_heads * a.head_dim});
    }
  }

  void latent(const LatentAttention& a) {
    const std::int64_t query = a.num_heads * (a.qk_nope_head_dim + a.qk_rope_head_dim);
    if (a.q_lora_rank == 0) {
      linear("q_proj", h_, query, false);
    } else {
      linear("q_a_proj", h_, a.q_lora_rank, a.bias);
      vector("q_a_layernorm", {a.q_lora_rank});
      linear("q_b_proj", a.q_lora_rank, query, false);
    }
    linear("kv_a_proj_with_mqa", h_, a.kv_lora_rank + a.qk_rope_head_dim, a.bias);
    vector("kv_a_layernorm", {a.kv_lora_rank});
    linear("kv_b_proj", a.kv_lora_rank, a.num_heads * (a.qk_nope_head_dim + a.v_head_dim), false);
    linear("o_proj", a.num_heads * a.v_head_dim, h_, a.bias);
  }

  void linear_attention(const GatedLinearAttention& a) {
    const std::int64_t keys = a.num_key_heads * a.key_head_dim;
    const std::int64_t values = a.num_value_heads * a.value_head_dim;
    linear("in_proj_qkvz", h_, keys + keys + values + values, false);
    linear("in_proj_ba", h_, a.num_value_heads + a.num_value_heads, false);
    matrix("conv1d", {keys + keys + values, 1, a.conv_kernel});
    vector("dt_bias", {a.num_value_heads});
    vector("A_log", {a.num_value_heads});
    vector("norm", {a.value_head_dim});
    linear("out_proj", values, h_, false);
  }

  /// One fused tensor per matrix: [copies, out, in].
  void mlp(const std::string& name, std::int64_t copies, std::int64_t used, std::int64_t width,
           std::int64_t matrices, bool bias) {
    for (std::int64_t i = 1; i < matrices; ++i) {
      matrix(name + ".up", {copies, width, h_}, used);
      if (bias) vector(name + ".up.bias", {copies, width}, used);
    }
    matrix(name + ".down", {copies, h_, width}, used);
    if (bias) vector(name + ".down.bias", {copies, h_}, used);
  }

  void ffn(const Ffn& f) {
    if (f.dense_width != 0) mlp("mlp", 1, 1, f.dense_width, f.matrices, f.bias);
    if (f.num_shared_experts != 0) {
      mlp("shared_experts", f.num_shared_experts, f.num_shared_experts, f.shared_expert_width,
          f.matrices, f.expert_bias);
    }
    if (f.shared_expert_gate) linear("shared_expert_gate", h_, 1, false);
    if (f.num_experts == 0) return;
    linear("router", h_, f.num_experts, f.router_bias);
    if (f.router_correction_bias) vector("e_score_correction_bias", {f.num_experts});
    mlp("experts", f.num_experts, f.num_experts_per_tok, f.expert_width, f.matrices, f.expert_bias);
  }

  void pair(std::int64_t in, std::int64_t out) {
    matrix("lora_a", {model_.loop.adapter_rank, in});
    matrix("lora_b", {out, model_.loop.adapter_rank});
  }

  /// A pair for every two-dimensional projection that the layer's tokens all pass.
  void adapters(const Layer& adapted) {
    if (model_.loop.adapter_rank == 0) return;
    Lister plain(model_);
    plain.prefix_ = "";
    plain.passes_ = 1;
    plain.attention(adapted.attention);
    Ffn ffn = adapted.ffn;
    ffn.num_experts = 0;
    ffn.shared_expert_gate = false;
    plain.ffn(ffn);
    for (const Tensor& tensor : plain.take()) {
      if (tensor.vector) continue;
      if (tensor.shape.size() == 2) pair(tensor.shape[1], tensor.shape[0]);
      if (tensor.name == "conv1d" || tensor.shape.size() != 3) continue;
      for (std::int64_t i = 0; i < tensor.shape[0]; ++i) pair(tensor.shape[2], tensor.shape[1]);
    }
  }

  const Model& model_;
  std::int64_t h_;
  std::string prefix_;
  std::int64_t passes_ = 1;
  std::vector<Tensor> tensors_;
};

}  // namespace

std::vector<Tensor> list_tensors(const Model& model) {
  Lister lister(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    lister.layer(model.layers[i], "layers." + std::to_string(i) + ".", model.layers[i].visits);
  }
  lister.outside();
  lister.loops();
  return lister.take();
}

std::vector<Tensor> list_mtp_tensors(const Model& model) {
  Lister lister(model);
  for (const Layer& module : model.mtp_layers) lister.mtp_module(module);
  return lister.take();
}

std::int64_t walk_cache(const Model& model) {
  std::int64_t elements = 0;
  if (!model.causal) return 0;
  for (const Layer& layer : model.layers) {
    std::int64_t width = 0;
    if (const auto* grouped = std::get_if<GroupedQueryAttention>(&layer.attention)) {
      if (grouped->own_keys_values) width = 2 * grouped->num_key_value_heads * grouped->head_dim;
    }
    if (const auto* latent = std::get_if<LatentAttention>(&layer.attention)) {
      width = latent->kv_lora_rank + latent->qk_rope_head_dim;
    }
    for (std::int64_t visit = 0; visit < layer.visits; ++visit) {
      const bool only = model.loop.kv == KvPolicy::kFirst || model.loop.kv == KvPolicy::kShared;
      const bool last = model.loop.kv == KvPolicy::kLast;
      if (only && visit != 0) continue;
      if (last && visit + 1 != layer.visits) continue;
      if (model.loop.kv == KvPolicy::kBudget && layer.visits - visit > model.loop.kv_visits) {
        continue;
      }
      elements += width;
    }
  }
  return elements;
}
