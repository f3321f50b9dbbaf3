#include "io/hf/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include "io/hf/families.hpp"
#include "io/result_parts.hpp"
#include "smelt/error.hpp"
#include "smelt/hf_config.hpp"

namespace smelt::hf {

namespace {

/// What a model says under each key that some family reads; a key that it says nothing under is
/// absent. One table serves all families, because a family's config is read back before it is used.
class Values {
 public:
  Values(const Model& model, bool expert_width_apart)
      : model_(model), expert_width_apart_(expert_width_apart) {
    for (const Layer& layer : model.layers) {
      if (grouped_ == nullptr) grouped_ = std::get_if<GroupedQueryAttention>(&layer.attention);
      if (latent_ == nullptr) latent_ = std::get_if<LatentAttention>(&layer.attention);
      if (linear_ == nullptr) linear_ = std::get_if<GatedLinearAttention>(&layer.attention);
      if (moe_ == nullptr && layer.ffn.num_experts > 0) moe_ = &layer.ffn;
      if (dense_ == nullptr && layer.ffn.num_experts == 0) dense_ = &layer.ffn;
      if (window_ == nullptr && layer.window.bounded()) window_ = &layer.window;
    }
    stack();
    attention();
    windows();
    ffn();
    routing();
    loops();
  }

  /// Absent keys stay out; a null is written as such.
  [[nodiscard]] const JsonValue* find(const std::string& key) const {
    const auto found = values_.find(key);
    return found != values_.end() ? &found->second : nullptr;
  }

 private:
  void count(const char* key, std::int64_t value) { values_[key] = to_value(Count(value)); }
  void positive(const char* key, std::int64_t value) {
    if (value > 0) count(key, value);
  }
  void flag(const char* key, bool value) { values_[key] = JsonValue::boolean(value); }
  void text(const char* key, const char* value) { values_[key] = to_value(value); }

  /// A list with an entry a layer.
  void per_layer(const char* key, const std::function<JsonValue(const Layer&)>& value) {
    JsonValue::Array items;
    for (const Layer& layer : model_.layers) items.push_back(value(layer));
    values_[key] = JsonValue::array(std::move(items));
  }

  /// The indices of the layers that `belongs` picks.
  void indices(const char* key, const std::function<bool(const Layer&)>& belongs) {
    JsonValue::Array items;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      if (belongs(model_.layers[i])) items.push_back(to_value(Count(std::int64_t(i))));
    }
    values_[key] = JsonValue::array(std::move(items));
  }

  void stack() {
    count("hidden_size", model_.hidden_size);
    count("num_hidden_layers", model_.num_layers());
    positive("vocab_size", model_.vocab_size);
    flag("tie_word_embeddings", model_.tie_word_embeddings);
    flag("lm_head_bias", model_.output_head_bias);
    positive("max_position_embeddings", model_.embedding.positions);
    positive("type_vocab_size", model_.embedding.token_types);
    positive("embedding_size", model_.embedding.embedding_size);
    count("num_nextn_predict_layers", static_cast<std::int64_t>(model_.mtp_layers.size()));
    count("padding_multiple", 1);
  }

  void attention() {
    if (grouped_ != nullptr) grouped();
    if (latent_ != nullptr) latent();
    if (linear_ != nullptr) linear();
  }

  void grouped() {
    const GroupedQueryAttention& a = *grouped_;
    count("num_attention_heads", a.num_heads);
    count("num_key_value_heads", a.num_key_value_heads);
    count("head_dim", a.head_dim);
    for (const char* key : {"attention_bias", "qkv_bias", "use_qkv_bias"}) flag(key, a.bias.query);
    for (const char* key : {"use_bias", "bias"}) flag(key, a.bias.output);
    flag("qk_bias", a.bias.query && a.bias.key);
    flag("use_qk_norm", a.qk_norm != QkNorm::kNone);
    text("qk_norm_type", a.qk_norm == QkNorm::kFull ? "per_layer" : "per_head");
  }

  void latent() {
    const LatentAttention& a = *latent_;
    count("num_attention_heads", a.num_heads);
    values_["q_lora_rank"] = a.q_lora_rank > 0 ? to_value(Count(a.q_lora_rank)) : JsonValue();
    count("kv_lora_rank", a.kv_lora_rank);
    count("qk_nope_head_dim", a.qk_nope_head_dim);
    count("qk_rope_head_dim", a.qk_rope_head_dim);
    count("v_head_dim", a.v_head_dim);
    flag("attention_bias", a.bias);
  }

  void linear() {
    count("linear_num_key_heads", linear_->num_key_heads);
    count("linear_num_value_heads", linear_->num_value_heads);
    count("linear_key_head_dim", linear_->key_head_dim);
    count("linear_value_head_dim", linear_->value_head_dim);
    count("linear_conv_kernel_dim", linear_->conv_kernel);
  }

  static const char* type_of(const Layer& layer) {
    if (std::holds_alternative<GatedLinearAttention>(layer.attention)) return "linear_attention";
    if (layer.window.kind == AttentionWindow::Kind::kSliding) return "sliding_attention";
    if (layer.window.kind == AttentionWindow::Kind::kChunked) return "chunked_attention";
    return "full_attention";
  }

  void windows() {
    const bool sliding = window_ != nullptr && window_->kind == AttentionWindow::Kind::kSliding;
    flag("use_sliding_window", sliding);
    if (sliding) count("sliding_window", window_->tokens);
    if (sliding) count("max_window_layers", 0);
    if (window_ != nullptr && !sliding) count("attention_chunk_size", window_->tokens);
    if (window_ == nullptr && linear_ == nullptr) return;
    per_layer("layer_types", [](const Layer& layer) { return to_value(type_of(layer)); });
  }

  void ffn() {
    if (dense_ != nullptr) {
      count("intermediate_size", dense_->dense_width);
      count("intermediate_size_mlp", dense_->dense_width);
      flag("mlp_bias", dense_->bias);
    }
    if (moe_ == nullptr) return;
    count("num_experts", moe_->num_experts);
    count("num_experts_per_tok", moe_->num_experts_per_tok);
    count("moe_intermediate_size", moe_->expert_width);
    const bool mixed = moe_->shared_expert_width > 0;
    if (!expert_width_apart_) count("intermediate_size", moe_->expert_width);
    if (dense_ == nullptr && expert_width_apart_) {
      count("intermediate_size", mixed ? moe_->shared_expert_width : moe_->expert_width);
    }
    if (dense_ == nullptr) count("intermediate_size_mlp", moe_->expert_width);
    count("num_shared_experts", moe_->num_shared_experts);
    count("shared_expert_intermediate_size", moe_->num_shared_experts * moe_->shared_expert_width);
    flag("use_mixed_mlp_moe", moe_->num_shared_experts > 0);
    flag("use_routing_bias", moe_->router_correction_bias);
    text("topk_method", moe_->router_correction_bias ? "noaux_tc" : "greedy");
  }

  void routing() {
    const auto routes = [](const Layer& layer) { return layer.ffn.num_experts > 0; };
    const auto first = std::find_if(model_.layers.begin(), model_.layers.end(), routes);
    const auto last = std::find_if(model_.layers.rbegin(), model_.layers.rend(), routes);
    count("first_k_dense_replace", first - model_.layers.begin());
    count("moe_layer_start_index", first - model_.layers.begin());
    count("moe_layer_end_index", model_.layers.rend() - last - 1);
    count("moe_layer_interval", 1);
    count("interleave_moe_layer_step", 1);
    indices("moe_layers", routes);
    indices("mlp_only_layers", [&](const Layer& layer) { return !routes(layer); });
  }

  void loops() {
    const std::int64_t layers = model_.num_layers();
    const std::vector<LoopSpan> spans = loop_spans(model_);
    const LoopSpan span = spans.empty() ? LoopSpan{0, layers, 1} : spans.front();
    count("total_ut_steps", span.visits);
    count("num_loops", span.visits);
    count("n_layers_in_prelude", span.start);
    count("n_layers_in_recurrent_block", span.length);
    count("n_layers_in_coda", layers - span.start - span.length);
    count("mean_recurrence", span.visits);
    text("injection_type", model_.loop.inject_matrices > 0 ? "linear" : "none");
    count("num_hidden_groups", 1);
    count("inner_group_num", layers);
    if (model_.embedding.embedding_size > 0) count("num_hidden_layers", span.visits);
  }

  const Model& model_;
  bool expert_width_apart_;
  const GroupedQueryAttention* grouped_ = nullptr;
  const LatentAttention* latent_ = nullptr;
  const GatedLinearAttention* linear_ = nullptr;
  const Ffn* moe_ = nullptr;
  const Ffn* dense_ = nullptr;
  const AttentionWindow* window_ = nullptr;
  std::map<std::string, JsonValue> values_;
};

/// DBRX nests heads and experts.
void add_nested(const Values& values, JsonValue::Object& members) {
  const auto sub = [&](const char* key, std::initializer_list<const char*> names) {
    JsonValue::Object inner;
    for (const char* name : names) {
      if (const JsonValue* value = values.find(name)) inner.emplace_back(name, *value);
    }
    members.emplace_back(key, JsonValue::object(std::move(inner)));
  };
  sub("attn_config", {"num_key_value_heads"});
  sub("ffn_config", {"num_experts", "num_experts_per_tok", "intermediate_size"});
}

JsonValue config_in(const HfFamily& family, const Model& model) {
  std::vector<std::string> keys;
  for (const HfKey& key : hf_family_keys(family.name)) keys.push_back(key.name);
  const auto reads = [&](const char* key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  if (reads("use_sliding_window")) {
    keys.insert(keys.end(), {"sliding_window", "max_window_layers", "layer_types"});
  }
  const Values values(model, reads("moe_intermediate_size"));
  JsonValue::Object members;
  if (!family.architectures.empty()) {
    members.emplace_back("architectures",
                         JsonValue::array({to_value(family.architectures.front())}));
  }
  members.emplace_back("model_type", to_value(family.name));
  const bool nests = reads("attn_config");
  if (nests) add_nested(values, members);
  for (const std::string& key : keys) {
    const JsonValue* value = values.find(key);
    const bool inner = nests && (key == "num_key_value_heads" || key == "num_experts" ||
                                 key == "num_experts_per_tok" || key == "intermediate_size");
    const bool written = std::any_of(members.begin(), members.end(),
                                     [&](const auto& member) { return member.first == key; });
    if (value != nullptr && !inner && !written) members.emplace_back(key, *value);
  }
  return JsonValue::object(std::move(members));
}

/// The model without what a config does not carry.
Model bare(Model model) {
  model.name.clear();
  model.attended_keys.reset();
  model.documents.reset();
  model.sequence_length.reset();
  return model;
}

bool reads_back(const JsonValue& config, const Model& model) {
  try {
    return bare(import_hf_config(config).model) == model;
  } catch (const InputError&) {
    return false;
  }
}

/// Families that stand for their kind come before those that share their shape.
constexpr std::array<const char*, 8> kPreferred = {
    "llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "qwen2_moe", "deepseek_v3", "deepseek_v2"};

std::vector<HfFamily> candidates() {
  std::vector<HfFamily> families;
  for (const char* name : kPreferred) families.push_back(hf_family(name));
  for (const HfFamily& family : hf_families()) families.push_back(family);
  return families;
}

[[noreturn]] void refuse(const Model& model) {
  std::string what = "no Hugging Face family has this combination of layers";
  if (model.vocab_size == 0) what = "states no vocab_size, which a Hugging Face config needs";
  if (!loop_spans(model).empty()) what = "no Hugging Face family runs its layers in this loop";
  throw InputError(model.name, what, "--to smelt keeps everything");
}

}  // namespace

JsonValue config_of(const Model& model) {
  const Model wanted = bare(model);
  for (const HfFamily& family : candidates()) {
    JsonValue config = config_in(family, model);
    if (reads_back(config, wanted)) return config;
  }
  refuse(model);
}

}  // namespace smelt::hf
