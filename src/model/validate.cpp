#include <fmt/format.h>

#include "smelt/error.hpp"
#include "smelt/model.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

namespace {

/// Checks sizes of one attention, each at its key.
struct CheckAttention {
  Mistakes& mistakes;

  bool positive(std::int64_t value, const char* key) const {
    if (value < 1) mistakes.add(key, fmt::format("{} is too small", value), "at least 1");
    return value >= 1;
  }

  void multiple(std::int64_t value, std::int64_t of, const char* key, const char* of_key) const {
    if (value % of == 0) return;
    mistakes.add(key, fmt::format("{} does not divide {}, which is {}", of, of_key, value),
                 fmt::format("a divisor of {}", of_key));
  }

  void operator()(const GroupedQueryAttention& attention) const {
    const bool heads = positive(attention.num_heads, "/num_attention_heads");
    const bool kv_heads = positive(attention.num_key_value_heads, "/num_key_value_heads");
    positive(attention.head_dim, "/head_dim");
    if (heads && kv_heads && attention.num_heads % attention.num_key_value_heads != 0) {
      mistakes.add("/num_key_value_heads",
                   fmt::format("{} does not divide the {} query heads",
                               attention.num_key_value_heads, attention.num_heads),
                   "a divisor of num_attention_heads");
    }
  }

  void operator()(const LatentAttention& attention) const {
    positive(attention.num_heads, "/num_attention_heads");
    positive(attention.kv_lora_rank, "/kv_lora_rank");
    positive(attention.qk_nope_head_dim, "/qk_nope_head_dim");
    positive(attention.qk_rope_head_dim, "/qk_rope_head_dim");
    positive(attention.v_head_dim, "/v_head_dim");
    if (attention.q_lora_rank < 0) positive(attention.q_lora_rank, "/q_lora_rank");
  }

  void operator()(const GatedLinearAttention& attention) const {
    positive(attention.key_head_dim, "/linear_key_head_dim");
    positive(attention.value_head_dim, "/linear_value_head_dim");
    positive(attention.conv_kernel, "/linear_conv_kernel_dim");
    positive(attention.num_value_heads, "/linear_num_value_heads");
    if (positive(attention.num_key_heads, "/linear_num_key_heads")) {
      multiple(attention.num_value_heads, attention.num_key_heads, "/linear_num_key_heads",
               "linear_num_value_heads");
    }
  }
};

void check_ffn(const Ffn& ffn, Mistakes& mistakes) {
  if (ffn.matrices != 2 && ffn.matrices != 3) {
    mistakes.add("/ffn_matrices", fmt::format("{} matrices", ffn.matrices),
                 "3 gated (SwiGLU, GeGLU) or 2 plain");
  }
  if (ffn.num_experts > 0 && ffn.expert_width < 1) {
    mistakes.add("/moe_intermediate_size", fmt::format("{} is too small", ffn.expert_width),
                 "at least 1 where there are experts");
  }
  if (ffn.num_experts > 0 && ffn.num_experts_per_tok < 1) {
    mistakes.add("/num_experts_per_tok", fmt::format("{} is too small", ffn.num_experts_per_tok),
                 "at least 1 where there are experts");
  }
  if (ffn.num_experts_per_tok > ffn.num_experts) {
    mistakes.add("/num_experts_per_tok",
                 fmt::format("{} experts per token, but {} are stored", ffn.num_experts_per_tok,
                             ffn.num_experts),
                 "at most num_experts");
  }
  if (ffn.num_shared_experts > 0 && ffn.shared_expert_width < 1) {
    mistakes.add("/shared_expert_intermediate_size",
                 fmt::format("{} is too small", ffn.shared_expert_width),
                 "at least 1 where there are shared experts");
  }
  if (ffn.num_experts == 0 && ffn.num_shared_experts == 0 && ffn.dense_width == 0) {
    mistakes.add("/num_experts", "the feed-forward sublayer is empty",
                 "give num_experts and moe_intermediate_size, or intermediate_size");
  }
}

void check_window(const AttentionWindow& window, Mistakes& mistakes) {
  if (window.bounded() && window.tokens < 1) {
    mistakes.add("/sliding_window", fmt::format("{} is too small", window.tokens), "at least 1");
  }
}

void check_loop(const LoopOptions& loop, Mistakes& mistakes) {
  if (loop.kv == KvPolicy::kBudget && loop.kv_visits < 1) {
    mistakes.add("/loop/kv_visits", fmt::format("{} is too small", loop.kv_visits),
                 "at least 1 under the cache policy 'budget'");
  }
}

}  // namespace

void validate(const Model& model) {
  Mistakes mistakes;
  if (model.hidden_size < 1) {
    mistakes.add("/hidden_size", fmt::format("{} is too small", model.hidden_size), "at least 1");
  }
  if (model.layers.empty()) mistakes.add("/num_hidden_layers", "0 is too small", "at least 1");
  for (std::size_t i = 0; i < model.layers.size() && mistakes.empty(); ++i) {
    std::visit(CheckAttention{mistakes}, model.layers[i].attention);
    check_ffn(model.layers[i].ffn, mistakes);
    check_window(model.layers[i].window, mistakes);
  }
  if (model.attended_keys && *model.attended_keys <= Rational(0)) {
    mistakes.add("/attended_keys", to_string(*model.attended_keys) + " is too small", "above 0");
  }
  check_loop(model.loop, mistakes);
  mistakes.throw_if_any();
}

}  // namespace smelt
