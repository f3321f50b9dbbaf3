#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config.hpp"
#include "smelt/model.hpp"

namespace smelt::hf {

/// What an absent tie_word_embeddings means in a family; `kStated` families must give it.
enum class TieDefault { kStated, kTied, kUntied };

/// hidden_size, num_hidden_layers, vocab_size and tie_word_embeddings: a stack of empty layers.
Model read_stack(Config& config, TieDefault tie);

/// What a family's configs leave unsaid about heads.
struct HeadRules {
  bool kv_heads_stated = true;  ///< else an absent num_key_value_heads means num_attention_heads
  bool head_dim_stated =
      false;                  ///< else an absent head_dim means hidden_size / num_attention_heads
  std::int64_t head_dim = 0;  ///< where above 0: what an absent head_dim means instead
};

GroupedQueryAttention read_heads(Config& config, const HeadRules& rules);

/// The same bias on queries, keys and values.
ProjectionBiases qkv_bias(bool on);
/// And on the output, too.
ProjectionBiases all_bias(bool on);

/// Gated dense FFN of intermediate_size.
Ffn read_dense(Config& config);

/// num_experts, num_experts_per_tok and the key of an expert's width.
Ffn read_routed(Config& config, std::string_view width_key);

/// Routed experts of moe_intermediate_size and one gated shared expert: Qwen2-MoE's mixture.
Ffn read_gated_shared_moe(Config& config);

/// Gives every layer the same attention.
void set_attention(Model& model, const Attention& attention);

/// Layers with `routed[i]` get `moe`, the others `dense`.
void set_ffn(Model& model, const std::vector<bool>& routed, const Ffn& moe, const Ffn& dense);
void set_ffn(Model& model, const Ffn& ffn);

/// Layers from first_k_dense_replace on whose index moe_layer_freq divides (a number, or a list of
/// 0 and 1).
std::vector<bool> dense_first(Config& config, std::int64_t layers);

/// Layers that route in Qwen's mixtures: those that decoder_sparse_step reaches, less
/// mlp_only_layers.
std::vector<bool> sparse_steps(Config& config, std::int64_t layers);

/// Windows from layer_types where the config lists them, else `otherwise(i)` says whether layer i
/// attends to a window of the given kind.
template <typename Bounded>
void set_windows(Config& config, Model& model, AttentionWindow window, Bounded otherwise);

/// All layers within sliding_window where that is given.
void read_global_window(Config& config, Model& model);

/// Layers named "sliding_attention" or "chunked_attention" by layer_types, or nothing where the
/// config does not list them. Other kinds than these and "full_attention" and "linear_attention"
/// are a fault.
std::optional<std::vector<std::string>> read_layer_types(Config& config, std::int64_t layers);

/// num_nextn_predict_layers modules like the last layer, without its window.
void set_mtp(Model& model, std::int64_t modules);

template <typename Bounded>
void set_windows(Config& config, Model& model, AttentionWindow window, Bounded otherwise) {
  const auto types = read_layer_types(config, model.num_layers());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const bool listed = types && i < types->size();
    const bool bounded =
        listed ? (*types)[i] == "sliding_attention" || (*types)[i] == "chunked_attention"
               : otherwise(static_cast<std::int64_t>(i));
    if (bounded) model.layers[i].window = window;
  }
}

}  // namespace smelt::hf
