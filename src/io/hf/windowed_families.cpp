#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kTransformers = "transformers, configuration and modeling of the class";
constexpr const char* kNoBias = "no bias, the class's default";

/// Gemma's stack: four norms a layer, around attention and FFN.
Model gemma_stack(Config& config, GroupedQueryAttention attention) {
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  Model model = read_stack(config, TieDefault::kTied);
  set_attention(model, attention);
  set_ffn(model, read_dense(config));
  for (Layer& layer : model.layers) layer.norms = 4;
  return model;
}

Model gemma2(Config& config) {
  Model model = gemma_stack(config, read_heads(config, {.head_dim_stated = true}));
  const AttentionWindow window{AttentionWindow::Kind::kSliding, config.need("sliding_window")};
  set_windows(config, model, window, [](std::int64_t layer) { return layer % 2 == 0; });
  return model;
}

Model gemma3(Config& config) {
  config.give("vocab_size", 262208, "262208, the class's default");
  GroupedQueryAttention attention = read_heads(config, {.head_dim = 256});
  attention.qk_norm = QkNorm::kPerHead;
  Model model = gemma_stack(config, attention);
  const AttentionWindow window{AttentionWindow::Kind::kSliding, config.need("sliding_window")};
  const std::int64_t pattern =
      config.count_or("sliding_window_pattern", 6, "every 6th layer is full, the class's default");
  set_windows(config, model, window,
              [&](std::int64_t layer) { return (layer + 1) % pattern != 0; });
  return model;
}

Model gpt_oss(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.bias = all_bias(config.flag_or("attention_bias", true, "bias, the class's default"));
  attention.sinks = true;
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, attention);
  Ffn ffn = read_routed(config, "intermediate_size");
  ffn.expert_bias = true;
  ffn.router_bias = true;
  set_ffn(model, ffn);
  const AttentionWindow window{AttentionWindow::Kind::kSliding, config.need("sliding_window")};
  set_windows(config, model, window, [](std::int64_t layer) { return layer % 2 == 0; });
  return model;
}

/// Layers with rotary positions attend within chunks; every no_rope_layer_interval-th has none and
/// sees all.
std::vector<bool> chunked_layers(Config& config, std::int64_t layers) {
  const std::int64_t interval =
      config.count_or("no_rope_layer_interval", 4, "4, the class's default");
  std::vector<bool> chunked;
  for (std::int64_t i = 0; i < layers; ++i) chunked.push_back((i + 1) % interval != 0);
  const auto listed = config.counts("no_rope_layers", "by no_rope_layer_interval");
  if (!listed || listed->empty()) return chunked;
  if (static_cast<std::int64_t>(listed->size()) != layers) {
    config.inconsistent("no_rope_layers", "lists another number of layers",
                        "as many as num_hidden_layers");
    return chunked;
  }
  for (std::size_t i = 0; i < chunked.size(); ++i) chunked[i] = (*listed)[i] != 0;
  return chunked;
}

std::vector<bool> interleaved_experts(Config& config, std::int64_t layers) {
  const std::int64_t step = config.need("interleave_moe_layer_step");
  std::vector<bool> routed(static_cast<std::size_t>(layers), false);
  for (std::int64_t i = step - 1; i < layers; i += step) routed[static_cast<std::size_t>(i)] = true;
  const auto listed = config.counts("moe_layers", "by interleave_moe_layer_step");
  if (!listed) return routed;
  routed.assign(routed.size(), false);
  for (const std::int64_t layer : *listed) {
    if (layer < layers) routed[static_cast<std::size_t>(layer)] = true;
  }
  return routed;
}

/// One shared expert as wide as a routed one; dense layers are wider. QK norms have no weight.
Model llama4(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  if (config.flag_or("use_qk_norm", true, "normed without weights, the class's default")) {
    attention.qk_norm = QkNorm::kWeightless;
  }
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, attention);
  Ffn moe = read_routed(config, "intermediate_size");
  moe.num_shared_experts = 1;
  moe.shared_expert_width = moe.expert_width;
  Ffn dense;
  dense.dense_width = config.need("intermediate_size_mlp");
  set_ffn(model, interleaved_experts(config, model.num_layers()), moe, dense);
  const AttentionWindow window{AttentionWindow::Kind::kChunked,
                               config.need("attention_chunk_size")};
  const std::vector<bool> chunked = chunked_layers(config, model.num_layers());
  set_windows(config, model, window,
              [&](std::int64_t layer) { return chunked[static_cast<std::size_t>(layer)]; });
  return model;
}

}  // namespace

std::vector<Family> windowed_families() {
  return {
      {{"gemma2",
        {},
        {},
        {"Gemma2ForCausalLM"},
        "four norms a layer; every other layer, the first included, within sliding_window",
        kTransformers},
       gemma2},
      {{"gemma3_text",
        {},
        {"gemma3"},
        {"Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"},
        "configs omit vocab_size, head_dim, tie_word_embeddings and sliding_window_pattern: "
        "262208, 256, tied, 6; four norms a layer and QK norms of one head",
        "transformers, Gemma3TextConfig's defaults"},
       gemma3},
      {{"gpt_oss",
        {},
        {},
        {"GptOssForCausalLM"},
        "biases on q, k, v, o, router and every expert; a sink per query head; every other layer, "
        "the first included, within sliding_window",
        kTransformers},
       gpt_oss},
      {{"llama4_text",
        {},
        {"llama4"},
        {"Llama4ForCausalLM", "Llama4ForConditionalGeneration"},
        "one shared expert; intermediate_size is an expert's width, intermediate_size_mlp a dense "
        "layer's; layers with rotary positions attend within attention_chunk_size",
        kTransformers},
       llama4},
  };
}

}  // namespace smelt::hf
