#include <fmt/format.h>

#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kTransformers = "transformers, configuration and modeling of the class";
constexpr const char* kNoBias = "no bias, the class's default";

/// Experts of moe_intermediate_size beside shared ones of the same width.
Ffn read_moe(Config& config) {
  Ffn ffn = read_routed(config, "moe_intermediate_size");
  ffn.num_shared_experts = config.need("num_shared_experts");
  ffn.shared_expert_width = ffn.expert_width;
  return ffn;
}

Model deepseek(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  set_attention(model, attention);
  const Ffn moe = read_moe(config);
  set_ffn(model, dense_first(config, model.num_layers()), moe, read_dense(config));
  return model;
}

/// glm4_moe and dots1: DeepSeek's mixture with a correction bias under grouped-query attention.
Model corrected(Config& config, const GroupedQueryAttention& attention) {
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, attention);
  Ffn moe = read_moe(config);
  moe.router_correction_bias = true;
  set_ffn(model, dense_first(config, model.num_layers()), moe, read_dense(config));
  return model;
}

Model glm4_moe(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.bias = qkv_bias(config.need_flag("attention_bias"));
  attention.qk_norm = config.need_flag("use_qk_norm") ? QkNorm::kPerHead : QkNorm::kNone;
  Model model = corrected(config, attention);
  set_mtp(model, config.need("num_nextn_predict_layers"));
  return model;
}

Model dots1(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  attention.qk_norm = QkNorm::kPerHead;
  return corrected(config, attention);
}

/// Layers from moe_layer_start_index to moe_layer_end_index whose number, counted from 1,
/// moe_layer_interval divides.
std::vector<bool> ernie_routed(Config& config, std::int64_t layers) {
  const std::int64_t first = config.need("moe_layer_start_index");
  std::int64_t last = config.count_or("moe_layer_end_index", -1, "the last layer");
  const std::int64_t every =
      config.count_or("moe_layer_interval", 1, "every layer, the class's default");
  if (last < 0) last = layers - 1;
  if (last >= layers) {
    config.inconsistent("moe_layer_end_index", fmt::format("layer {} leaves the stack", last),
                        fmt::format("at most {}", layers - 1));
  }
  if (first > last) {
    config.inconsistent("moe_layer_start_index", "lies behind moe_layer_end_index",
                        "at most moe_layer_end_index");
  }
  std::vector<bool> routed;
  for (std::int64_t i = 0; i < layers; ++i) {
    routed.push_back(i >= first && i <= last && (i + 1) % every == 0);
  }
  return routed;
}

Model ernie4_5_moe(Config& config) {
  const bool bias = config.flag_or("use_bias", false, kNoBias);
  Model model = read_stack(config, TieDefault::kStated);
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(bias);
  set_attention(model, attention);
  Ffn moe = read_moe(config);
  moe.router_correction_bias = true;
  moe.expert_bias = bias;
  Ffn dense = read_dense(config);
  dense.bias = bias;
  set_ffn(model, ernie_routed(config, model.num_layers()), moe, dense);
  return model;
}

Model bailing_moe(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {});
  const bool bias = config.flag_or("use_bias", false, kNoBias);
  attention.bias = qkv_bias(config.flag_or("use_qkv_bias", false, kNoBias));
  attention.bias.output = bias;
  set_attention(model, attention);
  const Ffn moe = read_moe(config);
  set_ffn(model, dense_first(config, model.num_layers()), moe, read_dense(config));
  return model;
}

}  // namespace

std::vector<Family> dense_first_families() {
  return {
      {{"deepseek",
        {},
        {},
        {"DeepseekForCausalLM"},
        "the first first_k_dense_replace layers are dense; shared experts as wide as routed ones",
        "deepseek-ai/DeepSeek-MoE, modeling_deepseek.py"},
       deepseek},
      {{"glm4_moe",
        {},
        {},
        {"Glm4MoeForCausalLM"},
        "attention_bias leaves o out; a correction bias per expert; use_qk_norm varies; "
        "num_nextn_predict_layers modules apart",
        kTransformers},
       glm4_moe},
      {{"dots1",
        {},
        {},
        {"Dots1ForCausalLM"},
        "QK norms of one head; a correction bias per expert",
        kTransformers},
       dots1},
      {{"ernie4_5_moe",
        {},
        {},
        {"Ernie4_5_MoeForCausalLM", "Ernie4_5_MoEForCausalLM"},
        "layers outside moe_layer_start_index to moe_layer_end_index are dense; a correction bias "
        "per expert; shared experts as wide as routed ones",
        kTransformers},
       ernie4_5_moe},
      {{"bailing_moe",
        {},
        {},
        {"BailingMoeForCausalLM"},
        "use_qkv_bias and use_bias are separate; shared experts as wide as routed ones",
        "inclusionAI/Ling, modeling_bailing_moe.py"},
       bailing_moe},
  };
}

}  // namespace smelt::hf
