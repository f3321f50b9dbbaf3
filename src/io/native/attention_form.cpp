#include "io/native/attention_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "core/enum_names.hpp"
#include "smelt/model_file.hpp"

namespace smelt::native {

namespace {

constexpr EnumNames<QkNorm, 4> kQkNorms = {{{{QkNorm::kNone, "none"},
                                             {QkNorm::kPerHead, "per_head"},
                                             {QkNorm::kFull, "full"},
                                             {QkNorm::kWeightless, "weightless"}}}};

/// The projections that may carry a bias, by name.
constexpr std::array<std::pair<std::string_view, bool ProjectionBiases::*>, 4> kProjections = {
    {{"query", &ProjectionBiases::query},
     {"key", &ProjectionBiases::key},
     {"value", &ProjectionBiases::value},
     {"output", &ProjectionBiases::output}}};

std::int64_t size(ObjectReader& file, const char* key) {
  file.require({key});
  return file.count(key, 1, kLargestSize).value_or(1);
}

QkNorm read_qk_norm(ObjectReader& file) {
  const auto name = file.string("qk_norm");
  if (!name) return QkNorm::kNone;
  for (const auto& [norm, text] : kQkNorms.entries) {
    if (text == *name) return norm;
  }
  file.fault("qk_norm", fmt::format("unknown norm '{}'", printable(*name)),
             "none, per_head, full or weightless");
  return QkNorm::kNone;
}

/// true and false cover all four projections; a list names those with a bias.
ProjectionBiases read_biases(ObjectReader& file) {
  const JsonValue* value = file.value("attention_bias");
  if (value == nullptr) return {};
  if (const bool* all = value->if_bool()) return {*all, *all, *all, *all};
  ProjectionBiases biases;
  const JsonValue::Array* names = file.array("attention_bias");
  for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
    const std::string* name = (*names)[i].if_string();
    const auto* found = std::find_if(kProjections.begin(), kProjections.end(), [&](const auto& p) {
      return name != nullptr && p.first == *name;
    });
    if (found != kProjections.end()) {
      biases.*found->second = true;
    } else {
      file.fault("attention_bias", "lists what is no projection", "query, key, value or output");
      return {};
    }
  }
  return biases;
}

GroupedQueryAttention read_grouped(ObjectReader& file, std::optional<std::int64_t> hidden_size) {
  file.require({"num_attention_heads"});
  const auto heads = file.count("num_attention_heads", 1, kLargestSize);
  const auto kv_heads = file.count("num_key_value_heads", 1, kLargestSize);
  auto head_dim = file.count("head_dim", 1, kLargestSize);
  if (!file.has("head_dim") && hidden_size && heads) {
    head_dim = *hidden_size / *heads;
    if (*hidden_size % *heads != 0) {
      file.fault("head_dim",
                 fmt::format("is missing, and hidden_size {} is no multiple of {} query heads",
                             *hidden_size, *heads),
                 "give head_dim");
    }
  }
  GroupedQueryAttention attention;
  attention.num_heads = heads.value_or(kv_heads.value_or(1));
  attention.num_key_value_heads =
      file.has("num_key_value_heads") ? kv_heads.value_or(1) : attention.num_heads;
  attention.head_dim = std::max<std::int64_t>(head_dim.value_or(1), 1);
  attention.qk_norm = read_qk_norm(file);
  attention.bias = read_biases(file);
  attention.sinks = file.flag("attention_sinks").value_or(false);
  attention.output_gate = file.flag("attention_output_gate").value_or(false);
  attention.own_keys_values = file.flag("own_keys_values").value_or(true);
  return attention;
}

LatentAttention read_latent(ObjectReader& file) {
  LatentAttention attention;
  attention.num_heads = size(file, "num_attention_heads");
  attention.q_lora_rank = file.count("q_lora_rank", 1, kLargestSize).value_or(0);
  attention.kv_lora_rank = size(file, "kv_lora_rank");
  attention.qk_nope_head_dim = size(file, "qk_nope_head_dim");
  attention.qk_rope_head_dim = size(file, "qk_rope_head_dim");
  attention.v_head_dim = size(file, "v_head_dim");
  attention.bias = file.flag("attention_bias").value_or(false);
  return attention;
}

GatedLinearAttention read_linear(ObjectReader& file) {
  return {size(file, "linear_num_key_heads"), size(file, "linear_num_value_heads"),
          size(file, "linear_key_head_dim"), size(file, "linear_value_head_dim"),
          size(file, "linear_conv_kernel_dim")};
}

struct Write {
  ObjectWriter& out;

  void flag(const char* key, bool value) const {
    if (value) out.add(key, JsonValue::boolean(true));
  }

  void biases(const ProjectionBiases& biases) const {
    JsonValue::Array names;
    for (const auto& [name, member] : kProjections) {
      if (biases.*member) names.push_back(JsonValue::string(std::string(name)));
    }
    if (names.size() == kProjections.size()) return flag("attention_bias", true);
    if (!names.empty()) out.add("attention_bias", JsonValue::array(std::move(names)));
  }

  void operator()(const GroupedQueryAttention& a) const {
    out.count("num_attention_heads", a.num_heads);
    out.count("num_key_value_heads", a.num_key_value_heads);
    out.count("head_dim", a.head_dim);
    if (a.qk_norm != QkNorm::kNone) {
      out.add("qk_norm", JsonValue::string(std::string(kQkNorms.of(a.qk_norm))));
    }
    biases(a.bias);
    flag("attention_sinks", a.sinks);
    flag("attention_output_gate", a.output_gate);
    if (!a.own_keys_values) out.add("own_keys_values", JsonValue::boolean(false));
  }

  void operator()(const LatentAttention& a) const {
    out.count("num_attention_heads", a.num_heads);
    if (a.q_lora_rank > 0) out.count("q_lora_rank", a.q_lora_rank);
    out.count("kv_lora_rank", a.kv_lora_rank);
    out.count("qk_nope_head_dim", a.qk_nope_head_dim);
    out.count("qk_rope_head_dim", a.qk_rope_head_dim);
    out.count("v_head_dim", a.v_head_dim);
    flag("attention_bias", a.bias);
  }

  void operator()(const GatedLinearAttention& a) const {
    out.count("linear_num_key_heads", a.num_key_heads);
    out.count("linear_num_value_heads", a.num_value_heads);
    out.count("linear_key_head_dim", a.key_head_dim);
    out.count("linear_value_head_dim", a.value_head_dim);
    out.count("linear_conv_kernel_dim", a.conv_kernel);
  }
};

}  // namespace

namespace {

/// Keys that say nothing without `without`.
void stand_with(ObjectReader& file, const char* without,
                std::initializer_list<const char*> dependents) {
  file.value(without);
  for (const char* key : dependents) {
    if (file.value(key) == nullptr || file.has(without)) continue;
    file.fault(key, fmt::format("stands without {}", without), fmt::format("give {}", without));
  }
}

}  // namespace

Attention read_attention(ObjectReader& file, std::optional<std::int64_t> hidden_size) {
  stand_with(file, "kv_lora_rank",
             {"q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"});
  stand_with(file, "linear_num_value_heads",
             {"linear_num_key_heads", "linear_key_head_dim", "linear_value_head_dim",
              "linear_conv_kernel_dim"});
  if (file.has("kv_lora_rank")) return read_latent(file);
  if (file.has("linear_num_value_heads")) return read_linear(file);
  return read_grouped(file, hidden_size);
}

void write_attention(const Attention& attention, ObjectWriter& out) {
  std::visit(Write{out}, attention);
}

}  // namespace smelt::native
