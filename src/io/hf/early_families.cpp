#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kTransformers = "transformers, configuration and modeling of the class";

/// Multi-head attention with biases, LayerNorm with biases, two FFN matrices with biases.
Model biased_stack(Config& config, TieDefault tie, std::int64_t ffn_width, bool attention_bias) {
  Model model = read_stack(config, tie);
  GroupedQueryAttention attention = read_heads(config, {.kv_heads_stated = false});
  attention.bias = all_bias(attention_bias);
  set_attention(model, attention);
  Ffn ffn;
  ffn.matrices = 2;
  ffn.dense_width = ffn_width;
  ffn.bias = true;
  set_ffn(model, ffn);
  model.norm = NormKind::kWeightAndBias;
  return model;
}

Model gpt2(Config& config) {
  const std::int64_t width = config.count_or("intermediate_size", 4 * config.need("hidden_size"),
                                             "4 x hidden_size, the class's default");
  Model model = biased_stack(config, TieDefault::kTied, width, true);
  model.embedding.positions = config.need("max_position_embeddings");
  return model;
}

Model gpt_neox(Config& config) {
  const bool bias = config.flag_or("attention_bias", true, "bias, the class's default");
  return biased_stack(config, TieDefault::kUntied, config.need("intermediate_size"), bias);
}

/// One group of layers shared by all depths: inner_group_num layers a group, each run
/// num_hidden_layers / num_hidden_groups times. Counted as the backbone with its pooler.
Model albert(Config& config) {
  const std::int64_t depth = config.need("num_hidden_layers");
  const std::int64_t groups = config.need("num_hidden_groups");
  const std::int64_t inner = config.need("inner_group_num");
  if (depth % groups != 0) {
    config.inconsistent("num_hidden_groups", "does not divide num_hidden_layers",
                        "a divisor of it");
  }
  Model model = biased_stack(config, TieDefault::kTied, config.need("intermediate_size"), true);
  Layer layer = model.layers.front();
  layer.visits = depth / groups;
  model.layers.assign(static_cast<std::size_t>(groups * inner), layer);
  const std::int64_t hidden = model.hidden_size;
  model.causal = false;
  model.has_output_head = false;
  model.final_norms = 0;
  model.embedding.embedding_size = config.need("embedding_size");
  model.embedding.positions = config.need("max_position_embeddings");
  model.embedding.token_types = config.count_or("type_vocab_size", 2, "2, the class's default");
  model.embedding.norms = 1;
  model.extras.push_back({"pooler", hidden * hidden, hidden, 0});
  return model;
}

}  // namespace

std::vector<Family> early_families() {
  return {
      {{"gpt2",
        {},
        {},
        {"GPT2LMHeadModel"},
        "tied; learned positions; LayerNorm and every projection with biases",
        kTransformers},
       gpt2},
      {{"gpt_neox",
        {},
        {},
        {"GPTNeoXForCausalLM"},
        "multi-head; untied; LayerNorm and every projection with biases",
        kTransformers},
       gpt_neox},
      {{"albert",
        {},
        {},
        {"AlbertModel", "AlbertForMaskedLM", "AlbertForPreTraining"},
        "one stored group of layers for all depths; tables of embedding_size and a projection; "
        "counted with its pooler and without a prediction head; an encoder keeps no cache",
        kTransformers},
       albert},
  };
}

}  // namespace smelt::hf
