#include "keys.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace smelt::hf {

namespace {

constexpr std::int64_t kMostLayersRead = 10'000;
constexpr std::int64_t kWidest = 1'000'000;
constexpr std::int64_t kMostHeads = 100'000;
constexpr std::int64_t kMostRows = 100'000'000;

}  // namespace

const std::vector<KeySpec>& key_specs() {
  static const std::vector<KeySpec> kSpecs = {
      {"hidden_size", {"n_embd", "d_model"}, 1, kWidest},
      {"num_hidden_layers", {"n_layer", "n_layers", "num_layers"}, 1, kMostLayersRead},
      {"num_attention_heads", {"n_head", "n_heads"}, 1, kMostHeads},
      {"num_key_value_heads", {"num_kv_heads", "n_kv_heads", "kv_n_heads"}, 1, kMostHeads},
      {"head_dim", {"attention_head_dim", "kv_channels"}, 1, kMostHeads},
      {"intermediate_size", {"n_inner", "ffn_hidden_size", "ffn_dim"}, 1, kWidest},
      {"intermediate_size_mlp", {}, 1, kWidest},
      {"num_experts", {"num_local_experts", "n_routed_experts", "moe_num_experts"}, 1, kMostHeads},
      {"num_experts_per_tok",
       {"experts_per_token", "num_experts_per_token", "moe_topk", "moe_top_k", "moe_k"},
       1,
       kMostHeads},
      {"moe_intermediate_size", {"expert_intermediate_size"}, 1, kWidest},
      {"num_shared_experts",
       {"n_shared_experts", "num_shared_expert", "moe_num_shared_experts"},
       0,
       1000},
      {"shared_expert_intermediate_size",
       {"moe_shared_expert_intermediate_size", "shared_intermediate_size"},
       0,
       kWidest},
      {"vocab_size", {}, 1, kMostRows},
      {"embedding_size", {}, 1, kWidest},
      {"type_vocab_size", {}, 1, kMostRows},
      {"max_position_embeddings", {"n_positions", "n_ctx"}, 1, kMostRows},
      {"tie_word_embeddings", {"tie_embeddings"}},
      {"q_lora_rank", {}, 1, kWidest},
      {"kv_lora_rank", {}, 1, kWidest},
      {"qk_nope_head_dim", {}, 1, kMostHeads},
      {"qk_rope_head_dim", {}, 1, kMostHeads},
      {"v_head_dim", {}, 1, kMostHeads},
      {"first_k_dense_replace", {}, 0, kMostLayersRead},
      {"moe_layer_freq", {}, 0, kMostLayersRead},
      {"decoder_sparse_step", {}, 0, kMostLayersRead},
      {"mlp_only_layers", {}, 0, kMostLayersRead},
      {"moe_layers", {}, 0, kMostLayersRead},
      {"interleave_moe_layer_step", {}, 1, kMostLayersRead},
      {"moe_layer_start_index", {}, 0, kMostLayersRead},
      {"moe_layer_end_index", {}, -1, kMostLayersRead},
      {"moe_layer_interval", {}, 1, kMostLayersRead},
      {"num_nextn_predict_layers", {"mtp_num_hidden_layers"}, 0, 1000},
      {"sliding_window", {}, 1, kMostRows},
      {"sliding_window_pattern", {"_sliding_window_pattern"}, 1, kMostLayersRead},
      {"max_window_layers", {}, 0, kMostLayersRead},
      {"attention_chunk_size", {}, 1, kMostRows},
      {"no_rope_layers", {}, 0, 1},
      {"no_rope_layer_interval", {}, 1, kMostLayersRead},
      {"full_attention_interval", {}, 1, kMostLayersRead},
      {"linear_num_key_heads", {}, 1, kMostHeads},
      {"linear_num_value_heads", {}, 1, kMostHeads},
      {"linear_key_head_dim", {}, 1, kMostHeads},
      {"linear_value_head_dim", {}, 1, kMostHeads},
      {"linear_conv_kernel_dim", {}, 1, 1000},
      {"num_hidden_groups", {}, 1, kMostLayersRead},
      {"inner_group_num", {}, 1, 1000},
      {"total_ut_steps", {}, 1, 1000},
      {"num_loops", {}, 1, 1000},
      {"n_layers_in_prelude", {}, 0, kMostLayersRead},
      {"n_layers_in_recurrent_block", {}, 1, kMostLayersRead},
      {"n_layers_in_coda", {}, 0, kMostLayersRead},
      {"mean_recurrence", {}, 1, 100'000},
      {"mean_backprop_depth", {}, 1, 100'000},
      {"padding_multiple", {}, 1, kMostHeads},
      {"cla_share_factor", {}, 1, kMostLayersRead},
  };
  return kSpecs;
}

KeySpec key_spec(std::string_view name) {
  for (const KeySpec& spec : key_specs()) {
    if (spec.name == name) return spec;
  }
  return {name, {}};
}

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Expert keys that steer training or routing and store nothing.
constexpr std::array<std::string_view, 20> kHarmlessExpertWords = {
    "loss",   "aux",        "coef", "jitter",    "norm", "router_logits", "capacity",
    "dtype",  "drop",       "disp", "balance",   "scal", "group",         "temperature",
    "random", "token_drop", "act",  "gate_type", "gemm", "impl"};

/// Keys outside the table that change a count in some family.
constexpr std::array<std::string_view, 29> kCountingKeys = {"attention_bias",
                                                            "use_bias",
                                                            "use_qkv_bias",
                                                            "qkv_bias",
                                                            "mlp_bias",
                                                            "lm_head_bias",
                                                            "use_qk_norm",
                                                            "qk_norm",
                                                            "qk_layernorm",
                                                            "qk_bias",
                                                            "use_cla",
                                                            "num_kv_shared_layers",
                                                            "use_mixed_mlp_moe",
                                                            "use_routing_bias",
                                                            "ssm_cfg",
                                                            "attn_layer_period",
                                                            "hybrid_override_pattern",
                                                            "mamba_d_state",
                                                            "cross_attention_layers",
                                                            "lora_rank",
                                                            "injection_type",
                                                            "index_head_dim",
                                                            "index_n_heads",
                                                            "block_configs",
                                                            "layers_block_type",
                                                            "laurel_rank",
                                                            "hidden_size_per_layer_input",
                                                            "mamba_num_heads",
                                                            "mamba_n_heads"};

/// Keys of the table that count nothing where a family does not ask for them.
constexpr std::array<std::string_view, 9> kHarmlessWhenUnread = {
    "max_position_embeddings", "sliding_window",      "max_window_layers",
    "tie_word_embeddings",     "mean_backprop_depth", "padding_multiple",
    "intermediate_size",       "no_rope_layers",      "no_rope_layer_interval"};

bool in_table(std::string_view key) {
  for (const KeySpec& spec : key_specs()) {
    const bool named = spec.name == key || std::find(spec.aliases.begin(), spec.aliases.end(),
                                                     key) != spec.aliases.end();
    if (named) {
      return std::find(kHarmlessWhenUnread.begin(), kHarmlessWhenUnread.end(), spec.name) ==
             kHarmlessWhenUnread.end();
    }
  }
  return false;
}

}  // namespace

bool changes_count(std::string_view key) {
  if (in_table(key)) return true;
  if (std::find(kCountingKeys.begin(), kCountingKeys.end(), key) != kCountingKeys.end()) {
    return true;
  }
  const bool expert = contains(key, "expert") || contains(key, "moe");
  return expert && std::none_of(kHarmlessExpertWords.begin(), kHarmlessExpertWords.end(),
                                [&](std::string_view word) { return contains(key, word); });
}

}  // namespace smelt::hf
