#include "smelt/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/hf/writer.hpp"
#include "io/megatron.hpp"
#include "io/object_writer.hpp"
#include "smelt/error.hpp"
#include "smelt/model_file.hpp"

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

/// The arguments of torchtitan's qwen3 models, or of its deepseek_v3 for latent attention.
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
  return write_json(out.take());
}

}  // namespace

const std::vector<std::string>& export_targets() {
  static const std::vector<std::string> kTargets = {"hf", "megatron", "torchtitan", "smelt"};
  return kTargets;
}

Export export_model(const Model& model, std::string_view target) {
  if (target == "hf") return {write_json(hf::config_of(model)), "config.json"};
  if (target == "megatron") return {megatron_arguments(model), "model.args"};
  if (target == "torchtitan") return {torchtitan_arguments(model), "model_args.json"};
  if (target == "smelt") return {write_model(model), "model.json"};
  throw InputError("--to", fmt::format("unknown target '{}'", target),
                   fmt::format("one of {}", fmt::join(export_targets(), ", ")));
}

}  // namespace smelt
