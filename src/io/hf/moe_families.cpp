#include <algorithm>

#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kTransformers = "transformers, configuration and modeling of the class";
constexpr const char* kNoBias = "no bias, the class's default";

Model mixtral(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, read_heads(config, {}));
  set_ffn(model, read_routed(config, "intermediate_size"));
  read_global_window(config, model);
  return model;
}

Model olmoe(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {});
  attention.qk_norm = QkNorm::kFull;
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  set_attention(model, attention);
  set_ffn(model, read_routed(config, "intermediate_size"));
  return model;
}

Model granite_moe(Config& config) {
  Model model = read_stack(config, TieDefault::kStated);
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  set_attention(model, attention);
  Ffn ffn = read_routed(config, "intermediate_size");
  ffn.shared_expert_width =
      config.count_or("shared_expert_intermediate_size", 0, "no shared expert");
  ffn.num_shared_experts = ffn.shared_expert_width > 0 ? 1 : 0;
  set_ffn(model, ffn);
  return model;
}

Model qwen_moe(Config& config, const GroupedQueryAttention& attention, const Ffn& moe) {
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, attention);
  set_ffn(model, sparse_steps(config, model.num_layers()), moe, read_dense(config));
  if (config.flag_or("use_sliding_window", false, "full attention, the class's default")) {
    const AttentionWindow window{AttentionWindow::Kind::kSliding, config.need("sliding_window")};
    const std::int64_t first = config.need("max_window_layers");
    set_windows(config, model, window, [&](std::int64_t layer) { return layer >= first; });
  }
  return model;
}

Model qwen2_moe(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = qkv_bias(config.flag_or("qkv_bias", true, "biases, the class's default"));
  const Ffn moe = read_gated_shared_moe(config);
  return qwen_moe(config, attention, moe);
}

Model qwen3_moe(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.qk_norm = QkNorm::kPerHead;
  config.restate_flag("use_qk_norm", true);
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  return qwen_moe(config, attention, read_routed(config, "moe_intermediate_size"));
}

Model dbrx(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  Config heads = config.nested("attn_config");
  GroupedQueryAttention attention;
  attention.num_heads = config.need("num_attention_heads");
  attention.num_key_value_heads = heads.need("num_key_value_heads");
  attention.head_dim = std::max<std::int64_t>(1, model.hidden_size / attention.num_heads);
  if (model.hidden_size % attention.num_heads != 0) {
    config.inconsistent("num_attention_heads", "does not divide hidden_size", "a divisor of it");
  }
  set_attention(model, attention);
  Config ffn = config.nested("ffn_config");
  set_ffn(model, read_routed(ffn, "intermediate_size"));
  heads.reject_unread("dbrx");
  ffn.reject_unread("dbrx");
  return model;
}

Model grok_1(Config& config) {
  Model model = read_stack(config, TieDefault::kStated);
  set_attention(model, read_heads(config, {}));
  set_ffn(model, read_routed(config, "intermediate_size"));
  for (Layer& layer : model.layers) layer.norms = 4;
  return model;
}

Model phimoe(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.need_flag("attention_bias"));
  set_attention(model, attention);
  set_ffn(model, read_routed(config, "intermediate_size"));
  model.norm = NormKind::kWeightAndBias;
  model.output_head_bias = config.need_flag("lm_head_bias");
  read_global_window(config, model);
  return model;
}

/// QK norms run over all heads where qk_norm_type is "per_layer", else over one.
QkNorm minimax_qk_norm(Config& config) {
  const std::string type = config.text_or("qk_norm_type", "", "an error where use_qk_norm is set");
  if (!config.need_flag("use_qk_norm")) return QkNorm::kNone;
  if (type == "per_layer") return QkNorm::kFull;
  if (type != "per_head") {
    config.inconsistent("qk_norm_type", type.empty() ? "is missing" : "is unknown",
                        "per_layer or per_head");
  }
  return QkNorm::kPerHead;
}

Model minimax_m2(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.qk_norm = minimax_qk_norm(config);
  set_attention(model, attention);
  Ffn ffn = read_routed(config, "intermediate_size");
  ffn.router_correction_bias = config.need_flag("use_routing_bias");
  ffn.shared_expert_width =
      config.count_or("shared_expert_intermediate_size", 0, "no shared expert");
  ffn.num_shared_experts = ffn.shared_expert_width > 0 ? 1 : 0;
  set_ffn(model, ffn);
  return model;
}

/// Layers of a group of cla_share_factor attend to the keys and values of the group's first.
void share_keys_values(Config& config, Model& model) {
  if (!config.flag_or("use_cla", false, "every layer has its own keys and values")) return;
  const std::int64_t group = config.need("cla_share_factor");
  for (std::int64_t i = 0; i < model.num_layers(); ++i) {
    auto& layer = model.layers[static_cast<std::size_t>(i)];
    std::get<GroupedQueryAttention>(layer.attention).own_keys_values = i % group == 0;
  }
}

/// Counts may be given per layer. The shared expert is num_shared_expert routed widths wide.
Model hunyuan_moe(Config& config) {
  Model model = read_stack(config, TieDefault::kStated);
  const std::int64_t layers = model.num_layers();
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = false});
  attention.qk_norm = config.need_flag("use_qk_norm") ? QkNorm::kPerHead : QkNorm::kNone;
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  set_attention(model, attention);
  const std::int64_t experts = config.need("num_experts");
  const auto chosen = config.need_per_layer("num_experts_per_tok", layers);
  const auto widths = config.need_per_layer("moe_intermediate_size", layers);
  const bool with_shared = config.need_flag("use_mixed_mlp_moe");
  const auto shared = config.need_per_layer("num_shared_experts", layers);
  const std::int64_t shared_width = config.need("intermediate_size");
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    Ffn& ffn = model.layers[i].ffn;
    ffn.num_experts = experts;
    ffn.num_experts_per_tok = chosen[i];
    ffn.expert_width = widths[i];
    ffn.num_shared_experts = with_shared ? shared[i] : 0;
    ffn.shared_expert_width = shared_width;
  }
  share_keys_values(config, model);
  return model;
}

}  // namespace

std::vector<Family> moe_families() {
  return {
      {{"mixtral",
        {},
        {},
        {"MixtralForCausalLM"},
        "intermediate_size is an expert's width",
        kTransformers},
       mixtral},
      {{"olmoe", {}, {}, {"OlmoeForCausalLM"}, "QK norms over all heads", kTransformers}, olmoe},
      {{"granitemoe",
        {"granitemoeshared"},
        {},
        {"GraniteMoeForCausalLM", "GraniteMoeSharedForCausalLM"},
        "tie_word_embeddings varies and must be given; shared_intermediate_size adds a shared "
        "expert",
        kTransformers},
       granite_moe},
      {{"qwen2_moe",
        {},
        {},
        {"Qwen2MoeForCausalLM"},
        "q, k and v have biases that no key announces; one shared expert with a gate",
        kTransformers},
       qwen2_moe},
      {{"qwen3_moe",
        {"qwen3_vl_moe_text"},
        {},
        {"Qwen3MoeForCausalLM"},
        "QK norms of one head; head_dim is not H / n_q; no shared expert",
        kTransformers},
       qwen3_moe},
      {{"dbrx",
        {},
        {},
        {"DbrxForCausalLM"},
        "heads and experts are nested in attn_config and ffn_config; LayerNorm without bias",
        kTransformers},
       dbrx},
      {{"grok_1",
        {},
        {},
        {"Grok1ModelForCausalLM"},
        "four norms a layer",
        "xai-org/grok-1, model.py"},
       grok_1},
      {{"phimoe",
        {},
        {},
        {"PhiMoEForCausalLM", "PhimoeForCausalLM"},
        "LayerNorm with bias; attention_bias covers q, k, v, o; lm_head_bias",
        kTransformers},
       phimoe},
      {{"minimax_m2",
        {},
        {},
        {"MiniMaxM2ForCausalLM"},
        "QK norms over all heads (per_layer); use_routing_bias is a correction bias; the published "
        "weights hold none of the num_mtp_modules",
        "transformers, modeling of the class; the checkpoint's total"},
       minimax_m2},
      {{"hunyuan_v1_moe",
        {"hunyuan"},
        {},
        {"HunYuanMoEV1ForCausalLM", "HunYuanMoEForCausalLM"},
        "counts may be lists, an entry a layer; use_mixed_mlp_moe adds num_shared_expert experts "
        "of "
        "intermediate_size; use_cla shares keys and values among cla_share_factor layers",
        "Tencent-Hunyuan/Hunyuan-A13B, modeling_hunyuan.py"},
       hunyuan_moe},
  };
}

}  // namespace smelt::hf
