#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kNoBias = "no bias, the class's default";

GatedLinearAttention read_linear(Config& config) {
  GatedLinearAttention attention;
  attention.num_key_heads = config.need("linear_num_key_heads");
  attention.num_value_heads = config.need("linear_num_value_heads");
  attention.key_head_dim = config.need("linear_key_head_dim");
  attention.value_head_dim = config.need("linear_value_head_dim");
  attention.conv_kernel = config.need("linear_conv_kernel_dim");
  return attention;
}

/// Layers of full attention: by layer_types, else every full_attention_interval-th.
std::vector<bool> full_layers(Config& config, std::int64_t layers) {
  const std::int64_t interval =
      config.count_or("full_attention_interval", 4, "every 4th layer, the class's default");
  const auto types = read_layer_types(config, layers);
  std::vector<bool> full;
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    full.push_back(types && index < types->size() ? (*types)[index] == "full_attention"
                                                  : (i + 1) % interval == 0);
  }
  return full;
}

/// Modules beside the stack: the published weights hold one, and no key says so.
constexpr std::int64_t kMtpModules = 1;

Model qwen3_next(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.qk_norm = QkNorm::kPerHead;
  attention.output_gate = true;
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  const GatedLinearAttention linear = read_linear(config);
  const std::vector<bool> full = full_layers(config, model.num_layers());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (full[i]) {
      model.layers[i].attention = attention;
    } else {
      model.layers[i].attention = linear;
    }
  }
  const Ffn moe = read_gated_shared_moe(config);
  set_ffn(model, sparse_steps(config, model.num_layers()), moe, read_dense(config));
  set_mtp(model, config.count_or("num_nextn_predict_layers", kMtpModules,
                                 "1, as the published weights hold"));
  for (Layer& layer : model.mtp_layers) layer.attention = attention;
  return model;
}

}  // namespace

std::vector<Family> hybrid_families() {
  return {
      {{"qwen3_next",
        {},
        {},
        {"Qwen3NextForCausalLM"},
        "every full_attention_interval-th layer is softmax attention with an output gate and QK "
        "norms of one head, the others gated linear attention; one shared expert with a gate; one "
        "multi-token-prediction module that no key announces",
        "transformers, modeling of the class; the checkpoint's total"},
       qwen3_next},
  };
}

}  // namespace smelt::hf
