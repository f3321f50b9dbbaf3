#include "parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace smelt::hf {

namespace {

bool read_tie(Config& config, TieDefault tie) {
  if (tie == TieDefault::kStated) return config.need_flag("tie_word_embeddings");
  return config.flag_or(
      "tie_word_embeddings", tie == TieDefault::kTied,
      tie == TieDefault::kTied ? "tied, the class's default" : "untied, the class's default");
}

}  // namespace

Model read_stack(Config& config, TieDefault tie) {
  Model model;
  model.hidden_size = config.need("hidden_size");
  model.layers.resize(static_cast<std::size_t>(config.need("num_hidden_layers")));
  model.vocab_size = config.need("vocab_size");
  model.tie_word_embeddings = read_tie(config, tie);
  return model;
}

namespace {

std::int64_t read_head_dim(Config& config, const HeadRules& rules, std::int64_t heads) {
  if (rules.head_dim_stated) return config.need("head_dim");
  if (rules.head_dim > 0) {
    return config.count_or("head_dim", rules.head_dim,
                           fmt::format("{}, the class's default", rules.head_dim));
  }
  const auto stated = config.maybe("head_dim", "hidden_size / num_attention_heads");
  if (stated) return *stated;
  const std::int64_t hidden = config.need("hidden_size");
  if (hidden % heads != 0) {
    config.inconsistent("num_attention_heads",
                        fmt::format("{} does not divide hidden_size {}", heads, hidden),
                        "a divisor of it, or give head_dim");
  }
  return std::max<std::int64_t>(1, hidden / heads);
}

}  // namespace

GroupedQueryAttention read_heads(Config& config, const HeadRules& rules) {
  GroupedQueryAttention attention;
  attention.num_heads = config.need("num_attention_heads");
  attention.num_key_value_heads =
      rules.kv_heads_stated
          ? config.need("num_key_value_heads")
          : config.count_or("num_key_value_heads", attention.num_heads, "num_attention_heads");
  attention.head_dim = read_head_dim(config, rules, attention.num_heads);
  return attention;
}

ProjectionBiases qkv_bias(bool on) { return {on, on, on, false}; }
ProjectionBiases all_bias(bool on) { return {on, on, on, on}; }

Ffn read_dense(Config& config) {
  Ffn ffn;
  ffn.dense_width = config.need("intermediate_size");
  return ffn;
}

Ffn read_routed(Config& config, std::string_view width_key) {
  Ffn ffn;
  ffn.num_experts = config.need("num_experts");
  ffn.num_experts_per_tok = config.need("num_experts_per_tok");
  ffn.expert_width = config.need(width_key);
  return ffn;
}

Ffn read_gated_shared_moe(Config& config) {
  Ffn ffn = read_routed(config, "moe_intermediate_size");
  ffn.num_shared_experts = 1;
  ffn.shared_expert_width = config.need("shared_expert_intermediate_size");
  ffn.shared_expert_gate = true;
  if (ffn.shared_expert_width < 1) {
    config.inconsistent("shared_expert_intermediate_size", "0 is too small", "at least 1");
  }
  return ffn;
}

void set_attention(Model& model, const Attention& attention) {
  for (Layer& layer : model.layers) layer.attention = attention;
}

void set_ffn(Model& model, const std::vector<bool>& routed, const Ffn& moe, const Ffn& dense) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    model.layers[i].ffn = i < routed.size() && routed[i] ? moe : dense;
  }
}

void set_ffn(Model& model, const Ffn& ffn) {
  for (Layer& layer : model.layers) layer.ffn = ffn;
}

namespace {

constexpr const char* kEveryLayer = "every layer behind the dense ones routes";

/// moe_layer_freq as a list of 0 and 1, a layer each; nothing where it is a number.
std::optional<std::vector<std::int64_t>> read_freq_list(Config& config, std::int64_t layers) {
  const JsonValue* value = config.peek("moe_layer_freq");
  if (value == nullptr || value->if_array() == nullptr) return std::nullopt;
  return config.need_per_layer("moe_layer_freq", layers);
}

}  // namespace

std::vector<bool> dense_first(Config& config, std::int64_t layers) {
  std::vector<bool> routed(static_cast<std::size_t>(layers), false);
  if (const auto listed = read_freq_list(config, layers)) {
    for (std::size_t i = 0; i < routed.size(); ++i) routed[i] = (*listed)[i] != 0;
    return routed;
  }
  const std::int64_t dense = config.need("first_k_dense_replace");
  const std::int64_t every = config.count_or("moe_layer_freq", 1, kEveryLayer);
  if (dense > layers) {
    config.inconsistent("first_k_dense_replace", fmt::format("{} is too large", dense),
                        fmt::format("at most num_hidden_layers, {}", layers));
  }
  if (every < 1) config.inconsistent("moe_layer_freq", "0 names no layer", "at least 1");
  for (std::int64_t i = dense; i < layers && every > 0; ++i) {
    routed[static_cast<std::size_t>(i)] = i % every == 0;
  }
  return routed;
}

std::vector<bool> sparse_steps(Config& config, std::int64_t layers) {
  const std::int64_t step =
      config.count_or("decoder_sparse_step", 1, "every layer routes, the class's default");
  if (step < 1) config.inconsistent("decoder_sparse_step", "0 names no layer", "at least 1");
  std::vector<bool> routed;
  for (std::int64_t i = 0; i < layers; ++i) routed.push_back(step > 0 && (i + 1) % step == 0);
  const auto dense = config.counts("mlp_only_layers", "none, the class's default");
  for (const std::int64_t layer : dense.value_or(std::vector<std::int64_t>{})) {
    if (layer < layers) {
      routed[static_cast<std::size_t>(layer)] = false;
    } else {
      config.inconsistent("mlp_only_layers", fmt::format("layer {} leaves the stack", layer),
                          fmt::format("0 to {}", layers - 1));
    }
  }
  return routed;
}

std::optional<std::vector<std::string>> read_layer_types(Config& config, std::int64_t layers) {
  auto types = config.texts("layer_types", "the family's own pattern");
  if (!types) return types;
  for (const std::string& type : *types) {
    if (type == "full_attention" || type == "sliding_attention" || type == "chunked_attention" ||
        type == "linear_attention") {
      continue;
    }
    config.inconsistent("layer_types", fmt::format("unknown layer type '{}'", printable(type)),
                        "full_attention, sliding_attention, chunked_attention or linear_attention");
  }
  if (static_cast<std::int64_t>(types->size()) != layers) {
    config.inconsistent("layer_types", fmt::format("lists {} layers", types->size()),
                        fmt::format("as many as num_hidden_layers, {}", layers));
  }
  return types;
}

void read_global_window(Config& config, Model& model) {
  const auto tokens = config.maybe("sliding_window", "full attention");
  AttentionWindow window;
  if (tokens) window = {AttentionWindow::Kind::kSliding, *tokens};
  set_windows(config, model, window, [&](std::int64_t) { return tokens.has_value(); });
}

void set_mtp(Model& model, std::int64_t modules) {
  Layer layer = model.layers.back();
  layer.window = {};
  model.mtp_layers.assign(static_cast<std::size_t>(modules), layer);
}

}  // namespace smelt::hf
