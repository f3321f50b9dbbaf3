#include "families.hpp"
#include "parts.hpp"

namespace smelt::hf {

namespace {

constexpr const char* kNoBias = "no bias, the class's default";

/// The whole stack, total_ut_steps times, with an exit gate behind each step.
Model ouro(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  set_attention(model, read_heads(config, {}));
  set_ffn(model, read_dense(config));
  for (Layer& layer : model.layers) layer.norms = 4;
  const std::int64_t steps = config.need("total_ut_steps");
  apply_loop(model, {0, model.num_layers(), steps});
  model.extras.push_back({"exit_gate", model.hidden_size, 1, steps});
  read_global_window(config, model);
  return model;
}

Model nanbeige(Config& config) {
  Model model = read_stack(config, TieDefault::kUntied);
  GroupedQueryAttention attention = read_heads(config, {.head_dim_stated = true});
  attention.bias = all_bias(config.flag_or("attention_bias", false, kNoBias));
  set_attention(model, attention);
  set_ffn(model, read_dense(config));
  apply_loop(model, {0, model.num_layers(), config.need("num_loops")});
  return model;
}

std::int64_t inject_matrices(Config& config) {
  const std::string type = config.need_text("injection_type");
  if (type == "linear") return 2;
  if (type != "add" && type != "none") {
    config.inconsistent("injection_type", "is unknown", "linear, add or none");
  }
  return 0;
}

/// The tables have as many rows as the next multiple of padding_multiple.
std::int64_t padded(std::int64_t rows, std::int64_t multiple) {
  return (rows + multiple - 1) / multiple * multiple;
}

/// Prelude, core and coda; only the core repeats, each time with the embedded input injected.
Model huginn(Config& config) {
  const std::int64_t prelude = config.need("n_layers_in_prelude");
  const std::int64_t core = config.need("n_layers_in_recurrent_block");
  const std::int64_t coda = config.need("n_layers_in_coda");
  config.give("num_hidden_layers", prelude + core + coda, "prelude, core and coda together");
  Model model = read_stack(config, TieDefault::kStated);
  GroupedQueryAttention attention = read_heads(config, {});
  const bool qk_bias = config.need_flag("qk_bias");
  attention.bias = all_bias(config.flag_or("bias", false, kNoBias));
  attention.bias.query = attention.bias.query || qk_bias;
  attention.bias.key = attention.bias.key || qk_bias;
  set_attention(model, attention);
  set_ffn(model, read_dense(config));
  for (Layer& layer : model.layers) layer.norms = 4;
  model.vocab_size = padded(model.vocab_size,
                            config.count_or("padding_multiple", 512, "512, the class's default"));
  apply_loop(model, {prelude, core, config.need("mean_recurrence")});
  model.loop.inject_matrices = inject_matrices(config);
  return model;
}

}  // namespace

std::vector<Family> looped_families() {
  return {
      {{"ouro",
        {},
        {},
        {"OuroForCausalLM"},
        "the whole stack runs total_ut_steps times; four norms a layer; an exit gate H x 1 with "
        "bias",
        "ByteDance/Ouro, modeling_ouro.py; the checkpoint's total"},
       ouro},
      {{"nanbeige",
        {},
        {},
        {"NanbeigeForCausalLM"},
        "the whole stack runs num_loops times",
        "the checkpoint's total"},
       nanbeige},
      {{"huginn_raven",
        {},
        {},
        {"RavenForCausalLM"},
        "prelude, core and coda; the core runs mean_recurrence times behind a 2H x H adapter; four "
        "norms a layer; qk_bias is a vector each on queries and keys; a full backward is counted, "
        "whatever mean_backprop_depth says",
        "seal-rg/recurrent-pretraining, recpre/model_dynamic.py"},
       huginn},
  };
}

}  // namespace smelt::hf
