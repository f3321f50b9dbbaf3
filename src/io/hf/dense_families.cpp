#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kTransformers = "transformers, configuration and modeling of the class";
constexpr const char* kNoBias = "no bias, the class's default";

/// Pre-norm RMSNorm stack with a gated FFN: the form that most families share.
Model pre_norm_stack(Config& config, TieDefault tie, const GroupedQueryAttention& attention) {
  Model model = read_stack(config, tie);
  set_attention(model, attention);
  Ffn ffn = read_dense(config);
  set_ffn(model, ffn);
  return model;
}

Model llama(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  Model model = pre_norm_stack(config, TieDefault::kStated, attention);
  const bool bias = config.flag_or("mlp_bias", false, kNoBias);
  for (Layer& layer : model.layers) layer.ffn.bias = bias;
  read_global_window(config, model);
  return model;
}

Model mistral(Config& config) {
  Model model = pre_norm_stack(config, TieDefault::kUntied, read_heads(config, {}));
  read_global_window(config, model);
  return model;
}

/// use_sliding_window puts the layers from max_window_layers on into the window.
void read_qwen_window(Config& config, Model& model) {
  AttentionWindow window;
  std::int64_t first = model.num_layers();
  if (config.flag_or("use_sliding_window", false, "full attention, the class's default")) {
    window = {AttentionWindow::Kind::kSliding, config.need("sliding_window")};
    first = config.need("max_window_layers");
  }
  set_windows(config, model, window, [&](std::int64_t layer) { return layer >= first; });
}

Model qwen2(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = qkv_bias(true);
  Model model = pre_norm_stack(config, TieDefault::kStated, attention);
  read_qwen_window(config, model);
  return model;
}

Model qwen3(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.qk_norm = QkNorm::kPerHead;
  config.restate_flag("use_qk_norm", true);
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  Model model = pre_norm_stack(config, TieDefault::kStated, attention);
  read_qwen_window(config, model);
  return model;
}

Model granite(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  Model model = pre_norm_stack(config, TieDefault::kStated, attention);
  const bool bias = config.flag_or("mlp_bias", false, kNoBias);
  for (Layer& layer : model.layers) layer.ffn.bias = bias;
  return model;
}

Model gemma(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  return pre_norm_stack(config, TieDefault::kTied, attention);
}

Model olmo(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.kv_heads_stated = false});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  Model model = pre_norm_stack(config, TieDefault::kStated, attention);
  model.norm = NormKind::kWeightless;
  return model;
}

Model olmo2(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.qk_norm = QkNorm::kFull;
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  return pre_norm_stack(config, TieDefault::kUntied, attention);
}

/// OLMo 2's layers; every fourth is full, the others within sliding_window.
Model olmo3(Config& config) {
  Model model = olmo2(config);
  const AttentionWindow window{AttentionWindow::Kind::kSliding, config.need("sliding_window")};
  set_windows(config, model, window, [](std::int64_t layer) { return (layer + 1) % 4 != 0; });
  return model;
}

Model phi3(Config& config) {
  Model model = pre_norm_stack(config, TieDefault::kUntied, read_heads(config, {}));
  read_global_window(config, model);
  return model;
}

/// Queries, keys and values carry biases where attention_bias is set; the output does not. Two
/// norms more stand behind the sublayers.
Model glm4(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.bias = qkv_bias(config.need_flag("attention_bias"));
  Model model = pre_norm_stack(config, TieDefault::kUntied, attention);
  for (Layer& layer : model.layers) layer.norms = 4;
  return model;
}

Model ernie4_5(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {.head_dim = 128});
  const bool bias = config.flag_or("use_bias", false, kNoBias);
  attention.bias = all_bias(bias);
  Model model = pre_norm_stack(config, TieDefault::kStated, attention);
  for (Layer& layer : model.layers) layer.ffn.bias = bias;
  return model;
}

Model hunyuan_dense(Config& config) {
  GroupedQueryAttention attention = read_heads(config, {});
  attention.qk_norm = QkNorm::kPerHead;
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  config.restate_flag("use_qk_norm", true);
  return pre_norm_stack(config, TieDefault::kStated, attention);
}

}  // namespace

std::vector<Family> dense_families() {
  return {
      {{"llama",
        {"smollm3"},
        {},
        {"LlamaForCausalLM"},
        "attention_bias covers q, k, v and o; mlp_bias all three FFN matrices; tie_word_embeddings "
        "varies and must be given",
        kTransformers},
       llama},
      {{"mistral",
        {"ministral"},
        {},
        {"MistralForCausalLM"},
        "sliding_window, where not null, holds in every layer",
        kTransformers},
       mistral},
      {{"qwen2",
        {"qwen2_vl_text", "qwen2_5_vl_text"},
        {},
        {"Qwen2ForCausalLM"},
        "q, k and v have biases that no key announces; o has none; tie_word_embeddings varies and "
        "must be given",
        kTransformers},
       qwen2},
      {{"qwen3",
        {"qwen3_vl_text"},
        {},
        {"Qwen3ForCausalLM"},
        "QK norms of one head; head_dim is not H / n_q; tie_word_embeddings varies and must be "
        "given",
        kTransformers},
       qwen3},
      {{"granite",
        {},
        {},
        {"GraniteForCausalLM"},
        "tie_word_embeddings varies and must be given",
        kTransformers},
       granite},
      {{"gemma", {}, {}, {"GemmaForCausalLM"}, "tied; head_dim is not H / n_q", kTransformers},
       gemma},
      {{"olmo",
        {},
        {},
        {"OlmoForCausalLM"},
        "LayerNorm without weights; tie_word_embeddings varies and must be given",
        kTransformers},
       olmo},
      {{"olmo2",
        {},
        {},
        {"Olmo2ForCausalLM"},
        "QK norms over all heads; norms behind the sublayers, two a layer",
        kTransformers},
       olmo2},
      {{"olmo3",
        {},
        {},
        {"Olmo3ForCausalLM"},
        "OLMo 2's layers; every fourth is full, the others within sliding_window",
        kTransformers},
       olmo3},
      {{"phi3",
        {},
        {},
        {"Phi3ForCausalLM"},
        "fused qkv and gate-up matrices, no biases",
        kTransformers},
       phi3},
      {{"glm4",
        {},
        {},
        {"Glm4ForCausalLM"},
        "four norms a layer; attention_bias leaves o out",
        kTransformers},
       glm4},
      {{"ernie4_5",
        {},
        {},
        {"Ernie4_5ForCausalLM"},
        "use_bias covers attention and FFN",
        kTransformers},
       ernie4_5},
      {{"hunyuan_v1_dense",
        {},
        {},
        {"HunYuanDenseV1ForCausalLM"},
        "QK norms of one head",
        kTransformers},
       hunyuan_dense},
  };
}

}  // namespace smelt::hf
