#include "io/torchtitan.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "io/object_writer.hpp"
#include "io/unlabelled.hpp"
#include "smelt/error.hpp"
#include "smelt/export.hpp"
#include "smelt/object_reader.hpp"

namespace smelt {

namespace {

[[noreturn]] void refuse_torchtitan(const Model& model, const char* what) {
  throw InputError(model.name, fmt::format("torchtitan's model arguments have no {}", what),
                   "--to smelt keeps everything");
}

/// Dense layers, if any, stand before the routed ones; all attend alike.
void check_torchtitan(const Model& model) {
  const Layer& last = model.layers.back();
  bool routed = false;
  for (const Layer& layer : model.layers) {
    if (layer.visits > 1) refuse_torchtitan(model, "loop");
    if (layer.window.bounded()) refuse_torchtitan(model, "attention window");
    if (!(layer.attention == last.attention)) refuse_torchtitan(model, "mixture of attentions");
    if (layer.norms != 2) refuse_torchtitan(model, "other than two norms a layer");
    if (routed && layer.ffn.num_experts == 0) refuse_torchtitan(model, "dense layer behind routed");
    routed = routed || layer.ffn.num_experts > 0;
    if (layer.ffn.num_experts > 0 && !(layer.ffn == last.ffn)) {
      refuse_torchtitan(model, "mixture of expert sizes");
    }
  }
  const Ffn& ffn = last.ffn;
  if (ffn.matrices != 3) refuse_torchtitan(model, "FFN of two matrices");
  if (ffn.bias || ffn.expert_bias || ffn.router_bias) refuse_torchtitan(model, "FFN bias");
  if (ffn.shared_expert_gate) refuse_torchtitan(model, "gate on shared experts");
  if (ffn.num_experts > 0 && ffn.num_shared_experts > 0 &&
      ffn.shared_expert_width != ffn.expert_width) {
    refuse_torchtitan(model, "shared expert of another width than the routed");
  }
  if (model.norm != NormKind::kWeight) refuse_torchtitan(model, "LayerNorm with bias");
  if (!model.extras.empty() || !(model.embedding == EmbeddingExtras{}) || model.output_head_bias) {
    refuse_torchtitan(model, "further embeddings, biases or heads");
  }
  if (!model.causal) refuse_torchtitan(model, "encoder");
  if (!model.mtp_layers.empty()) refuse_torchtitan(model, "multi-token-prediction module");
}

void write_grouped(const Model& model, const GroupedQueryAttention& a, ObjectWriter& out) {
  const bool biased = a.bias.query || a.bias.key || a.bias.value || a.bias.output;
  if (biased || a.sinks || a.output_gate || !a.own_keys_values || a.qk_norm == QkNorm::kFull) {
    refuse_torchtitan(model, "attention with biases, sinks, gates or norms over all heads");
  }
  out.count("n_heads", a.num_heads);
  out.count("n_kv_heads", a.num_key_value_heads);
  out.count("head_dim", a.head_dim);
  out.add("qk_norm", JsonValue::boolean(a.qk_norm == QkNorm::kPerHead));
}

void write_latent(const LatentAttention& a, ObjectWriter& out) {
  out.count("n_heads", a.num_heads);
  out.count("q_lora_rank", a.q_lora_rank);
  out.count("kv_lora_rank", a.kv_lora_rank);
  out.count("qk_nope_head_dim", a.qk_nope_head_dim);
  out.count("qk_rope_head_dim", a.qk_rope_head_dim);
  out.count("v_head_dim", a.v_head_dim);
}

void write_moe(const Model& model, const Ffn& ffn, bool latent, ObjectWriter& out) {
  if (ffn.num_experts == 0) {
    out.count(latent ? "inter_dim" : "hidden_dim", ffn.dense_width);
    return;
  }
  const Ffn& first = model.layers.front().ffn;
  std::int64_t dense = 0;
  for (const Layer& layer : model.layers) dense += layer.ffn.num_experts == 0 ? 1 : 0;
  if (dense > 0) out.count("inter_dim", first.dense_width);
  if (dense > 0 || latent) out.count("n_dense_layers", dense);
  if (!latent) out.add("moe_enabled", JsonValue::boolean(true));
  out.count("moe_inter_dim", ffn.expert_width);
  ObjectWriter moe;
  moe.count("num_experts", ffn.num_experts);
  moe.count("top_k", ffn.num_experts_per_tok);
  moe.count("num_shared_experts", ffn.num_shared_experts);
  moe.add("load_balance_bias", JsonValue::boolean(ffn.router_correction_bias));
  out.add("moe_args", moe.take());
}
constexpr std::int64_t kMost = 1'000'000'000;

/// Arguments that steer training, positions or kernels and store nothing.
constexpr std::array<std::string_view, 17> kHarmless = {
    "norm_eps",        "rope_theta",        "max_seq_len",      "max_batch_size",
    "depth_init",      "attn_type",         "attn_mask_type",   "use_flex_attn",
    "eos_id",          "rope_factor",       "beta_fast",        "beta_slow",
    "mscale",          "rope_scaling_args", "original_seq_len", "n_expert_groups",
    "n_limited_groups"};
constexpr std::array<std::string_view, 6> kHarmlessInMoe = {
    "score_func",           "route_norm",     "route_scale",
    "score_before_experts", "use_grouped_mm", "gate_bias"};

LatentAttention read_latent(ObjectReader& in) {
  in.require({"n_heads", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"});
  LatentAttention a;
  a.num_heads = in.count("n_heads", 1, kMost).value_or(1);
  a.q_lora_rank = in.count("q_lora_rank", 0, kMost).value_or(0);
  a.kv_lora_rank = in.count("kv_lora_rank", 1, kMost).value_or(1);
  a.qk_nope_head_dim = in.count("qk_nope_head_dim", 1, kMost).value_or(1);
  a.qk_rope_head_dim = in.count("qk_rope_head_dim", 1, kMost).value_or(1);
  a.v_head_dim = in.count("v_head_dim", 1, kMost).value_or(1);
  return a;
}

GroupedQueryAttention read_grouped(ObjectReader& in) {
  in.require({"n_heads", "n_kv_heads", "head_dim"});
  GroupedQueryAttention a;
  a.num_heads = in.count("n_heads", 1, kMost).value_or(1);
  a.num_key_value_heads = in.count("n_kv_heads", 1, kMost).value_or(a.num_heads);
  a.head_dim = in.count("head_dim", 1, kMost).value_or(1);
  a.qk_norm = in.flag("qk_norm").value_or(false) ? QkNorm::kPerHead : QkNorm::kNone;
  return a;
}

Ffn read_routed(ObjectReader& in) {
  in.require({"moe_inter_dim"});
  Ffn ffn;
  ffn.expert_width = in.count("moe_inter_dim", 1, kMost).value_or(1);
  if (auto moe = in.object("moe_args")) {
    moe->require({"num_experts", "top_k"});
    ffn.num_experts = moe->count("num_experts", 1, kMost).value_or(1);
    ffn.num_experts_per_tok = moe->count("top_k", 1, kMost).value_or(1);
    ffn.num_shared_experts = moe->count("num_shared_experts", 0, kMost).value_or(1);
    ffn.router_correction_bias = moe->flag("load_balance_bias").value_or(false);
    for (const std::string_view key : kHarmlessInMoe) moe->value(key);
    moe->reject_unknown_keys();
  }
  ffn.shared_expert_width = ffn.num_shared_experts > 0 ? ffn.expert_width : 0;
  return ffn;
}

Ffn read_dense(ObjectReader& in, const char* key) {
  in.require({key});
  Ffn ffn;
  ffn.dense_width = in.count(key, 1, kMost).value_or(1);
  return ffn;
}

/// Layers of one attention, the first n_dense_layers of them dense where there are experts.
std::vector<Layer> read_layers(ObjectReader& in, bool latent) {
  Layer layer;
  layer.attention = latent ? Attention(read_latent(in)) : Attention(read_grouped(in));
  const auto count = in.count("n_layers", 1, kMostLayers).value_or(1);
  std::vector<Layer> layers(static_cast<std::size_t>(count), layer);
  const bool enabled = in.flag("moe_enabled").value_or(true);
  const bool routes = in.has("moe_args") && enabled;
  if (in.has("moe_args") && !enabled) in.value("moe_args");
  const auto dense = routes ? in.count("n_dense_layers", 0, count).value_or(0) : count;
  const Ffn routed = routes ? read_routed(in) : Ffn{};
  const Ffn plain =
      dense == 0 ? Ffn{} : read_dense(in, routes || latent ? "inter_dim" : "hidden_dim");
  for (std::int64_t i = 0; i < count; ++i) {
    layers[static_cast<std::size_t>(i)].ffn = i < dense ? plain : routed;
  }
  return layers;
}

/// The model without what torchtitan's arguments do not hold because it counts nothing.
Model as_counted(Model model) {
  for (Layer& layer : model.layers) {
    if (layer.ffn.num_shared_experts == 0) layer.ffn.shared_expert_width = 0;
  }
  return unlabelled(std::move(model));
}

}  // namespace

bool looks_like_torchtitan_arguments(const JsonValue& json) {
  return json.find("model_type") == nullptr && json.find("dim") != nullptr &&
         json.find("n_layers") != nullptr;
}

Model import_torchtitan_arguments(const JsonValue& json) {
  Mistakes mistakes;
  ObjectReader in(json, {}, mistakes);
  in.require({"dim", "n_layers"});
  Model model;
  model.hidden_size = in.count("dim", 1, kMost).value_or(1);
  model.layers = read_layers(in, in.has("kv_lora_rank"));
  model.vocab_size = in.count("vocab_size", 0, kMost).value_or(0);
  model.tie_word_embeddings = in.flag("enable_weight_tying").value_or(false);
  for (const std::string_view key : kHarmless) in.value(key);
  in.reject_unknown_keys();
  mistakes.throw_if_any();
  validate(model);
  return model;
}

std::string torchtitan_arguments(const Model& model) {
  check_torchtitan(model);
  const Layer& layer = model.layers.back();
  const auto* latent = std::get_if<LatentAttention>(&layer.attention);
  ObjectWriter out;
  out.count("vocab_size", model.vocab_size);
  out.count("dim", model.hidden_size);
  out.count("n_layers", model.num_layers());
  if (latent != nullptr) {
    if (latent->bias) refuse_torchtitan(model, "bias on latent attention");
    write_latent(*latent, out);
  } else if (const auto* grouped = std::get_if<GroupedQueryAttention>(&layer.attention)) {
    write_grouped(model, *grouped, out);
  } else {
    refuse_torchtitan(model, "linear attention");
  }
  write_moe(model, layer.ffn, latent != nullptr, out);
  out.add("enable_weight_tying", JsonValue::boolean(model.tie_word_embeddings));
  const JsonValue arguments = out.take();
  if (!(as_counted(import_torchtitan_arguments(arguments)) == as_counted(model))) {
    refuse_torchtitan(model, "words for this combination of layers");
  }
  return write_json(arguments);
}

}  // namespace smelt
