#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kTransformers = "transformers, configuration and modeling of the class";
constexpr const char* kNoBias = "no bias, the class's default";

/// q_lora_rank must be there, and null where queries are projected in one step.
std::int64_t read_query_rank(Config& config) {
  if (config.states_null("q_lora_rank")) {
    return config.maybe("q_lora_rank", "null: queries in one step").value_or(0);
  }
  return config.need("q_lora_rank");
}

LatentAttention read_latent(Config& config) {
  LatentAttention attention;
  attention.num_heads = config.need("num_attention_heads");
  attention.q_lora_rank = read_query_rank(config);
  attention.kv_lora_rank = config.need("kv_lora_rank");
  attention.qk_nope_head_dim = config.need("qk_nope_head_dim");
  attention.qk_rope_head_dim = config.need("qk_rope_head_dim");
  attention.v_head_dim = config.need("v_head_dim");
  attention.bias = config.flag_or("attention_bias", false, kNoBias);
  config.maybe("num_key_value_heads", "counts nothing here");
  config.maybe("head_dim", "counts nothing here");
  return attention;
}

Model latent_stack(Config& config, bool corrected) {
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, read_latent(config));
  Ffn moe = read_routed(config, "moe_intermediate_size");
  moe.num_shared_experts = config.need("num_shared_experts");
  moe.shared_expert_width = moe.expert_width;
  moe.router_correction_bias = corrected;
  set_ffn(model, dense_first(config, model.num_layers()), moe, read_dense(config));
  return model;
}

Model deepseek_v2(Config& config) { return latent_stack(config, false); }

Model deepseek_v3(Config& config) {
  const bool corrected =
      config.text_or("topk_method", "noaux_tc", "noaux_tc, the class's only method") == "noaux_tc";
  Model model = latent_stack(config, corrected);
  set_mtp(model, config.need("num_nextn_predict_layers"));
  return model;
}

}  // namespace

std::vector<Family> latent_families() {
  return {
      {{"deepseek_v2",
        {},
        {},
        {"DeepseekV2ForCausalLM"},
        "latent attention; q_lora_rank null projects queries in one step; shared experts as wide "
        "as "
        "routed ones",
        kTransformers},
       deepseek_v2},
      {{"deepseek_v3",
        {"kimi_k2"},
        {},
        {"DeepseekV3ForCausalLM"},
        "latent attention; topk_method noaux_tc adds a correction bias per expert; "
        "num_nextn_predict_layers modules apart, without their copies of embedding and head",
        kTransformers},
       deepseek_v3},
  };
}

}  // namespace smelt::hf
