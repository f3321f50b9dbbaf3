#include "smelt/audit_file.hpp"

#include <fmt/format.h>

#include <string>

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

namespace {

/// One shape of a study, its nulls absent.
class Shape {
 public:
  Shape(const JsonValue& json, std::string where) : json_(&json), where_(std::move(where)) {}

  [[nodiscard]] const JsonValue* find(const char* key) const {
    const JsonValue* value = json_->find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  /// A count, or the first of a list of them.
  [[nodiscard]] std::optional<std::int64_t> count(const char* key) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->if_array() != nullptr && !value->if_array()->empty()) {
      value = &value->if_array()->front();
    }
    const std::string* text = value->if_number();
    if (text == nullptr) {
      throw InputError(json_pointer(where_, key),
                       fmt::format("is {}, not a number", value->kind()));
    }
    return parse_count(*text, json_pointer(where_, key), 0);
  }

  [[nodiscard]] std::optional<Rational> number(const char* key) const {
    const JsonValue* value = find(key);
    if (value == nullptr || value->if_number() == nullptr) return std::nullopt;
    return parse_number(*value->if_number(), json_pointer(where_, key));
  }

  [[nodiscard]] std::optional<Shape> object(const char* key) const {
    const JsonValue* value = find(key);
    if (value == nullptr || value->if_object() == nullptr) return std::nullopt;
    return Shape(*value, json_pointer(where_, key));
  }

 private:
  const JsonValue* json_;
  std::string where_;
};

/// Any width serves where two stacks differ in layer counts alone.
constexpr std::int64_t kAnyWidth = 128;

std::optional<Layer> layer_of(const Shape& shape) {
  Layer layer;
  layer.norms = 0;
  const auto heads = shape.count("num_attention_heads");
  const auto kv_heads = shape.count("num_key_value_heads");
  const auto head_dim = shape.count("head_dim");
  if (!heads || !kv_heads || !head_dim) return std::nullopt;
  layer.attention = GroupedQueryAttention{*heads, *kv_heads, *head_dim};
  layer.ffn.matrices = shape.count("ffn_matrices").value_or(3);
  layer.ffn.num_experts = shape.count("num_experts").value_or(0);
  layer.ffn.num_experts_per_tok = shape.count("num_experts_per_tok").value_or(0);
  layer.ffn.expert_width = shape.count("moe_intermediate_size").value_or(0);
  layer.ffn.dense_width =
      layer.ffn.num_experts > 0 ? 0 : shape.count("intermediate_size").value_or(0);
  if (layer.ffn.num_experts == 0 && layer.ffn.dense_width == 0) return std::nullopt;
  return layer;
}

Layer any_layer() {
  Layer layer;
  layer.norms = 0;
  layer.attention = GroupedQueryAttention{1, 1, kAnyWidth};
  layer.ffn.dense_width = 4 * kAnyWidth;
  return layer;
}

/// The loop; for a stack of unknown depth that loops as a whole, one layer stands for all of it.
void read_loop(const Shape& shape, Model& model) {
  const auto loop = shape.object("loop");
  if (!loop) return;
  apply_loop(model,
             {loop->count("start").value_or(0), loop->count("length").value_or(model.num_layers()),
              loop->count("visits").value_or(1)});
}

/// rows x columns of a listed matrix shape, in units of H x H.
std::int64_t square_blocks(const JsonValue* shape, std::int64_t hidden) {
  if (shape == nullptr || shape->if_array() == nullptr) return 0;
  Count elements = 1;
  for (const JsonValue& side : *shape->if_array()) {
    if (side.if_number() != nullptr) elements *= parse_count(*side.if_number(), "/inject/shape");
  }
  return elements.value() / (hidden * hidden);
}

void read_inject(const Shape& shape, Model& model) {
  const auto inject = shape.object("inject");
  if (!inject) return;
  model.loop.inject_matrices = square_blocks(inject->find("shape"), model.hidden_size);
  const std::int64_t readout = square_blocks(inject->find("readout"), model.hidden_size);
  if (readout > 0) {
    model.extras.push_back({"readout", readout * model.hidden_size * model.hidden_size, 0, 1});
  }
}

void read_keys(const Shape& shape, Model& model) {
  if (const auto keys = shape.number("attended_keys")) {
    model.attended_keys = *keys;
  } else if (const auto length = shape.count("max_position_embeddings")) {
    model.attended_keys = causal_mean_keys(*length);
  }
}

/// Nothing where the shape is unknown and layer counts do not stand for it.
std::optional<Model> model_of(const Shape& shape, bool shape_free) {
  const std::optional<Layer> layer = shape_free ? any_layer() : layer_of(shape);
  const auto hidden = shape_free ? kAnyWidth : shape.count("hidden_size");
  std::optional<std::int64_t> layers = shape.count("num_hidden_layers");
  const auto loop = shape.object("loop");
  if (!layers && shape_free && loop && !loop->count("length")) layers = 1;
  if (!layer || !hidden || !layers) return std::nullopt;
  Model model = uniform_stack(*hidden, *layers, *layer);
  model.final_norms = 0;
  read_loop(shape, model);
  if (!shape_free) {
    read_inject(shape, model);
    read_keys(shape, model);
  }
  return model;
}

/// Of the policies that a study may name, those that keep less than every visit's cache.
void set_policy(const Shape& study, Model& model) {
  const JsonValue* value = study.find("kv_policy");
  const std::string* policy = value != nullptr ? value->if_string() : nullptr;
  if (policy == nullptr) return;
  if (policy->rfind("none", 0) == 0) model.causal = false;
  if (policy->rfind("shared", 0) == 0) model.loop.kv = KvPolicy::kShared;
}

std::string mark(const std::optional<Shape>& marks, const char* key) {
  const JsonValue* value = marks ? marks->find(key) : nullptr;
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

std::string text(const Shape& study, const char* key) {
  const JsonValue* value = study.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

AuditPair pair_of(const Shape& study, const Shape& pair, const std::string& name) {
  AuditPair result;
  result.study = text(study, "name");
  result.arxiv = text(study, "arxiv");
  result.pair = name;
  const auto looped = pair.object("looped");
  const auto baseline = pair.object("baseline");
  if (!looped || !baseline) return result;
  const bool shape_free = !looped->find("hidden_size") && !baseline->find("hidden_size");
  result.looped = model_of(*looped, shape_free);
  result.baseline = model_of(*baseline, shape_free);
  if (result.looped) set_policy(study, *result.looped);
  if (result.baseline && result.looped) result.baseline->causal = result.looped->causal;
  return result;
}

void add_truncated(const Shape& study, std::vector<AuditPair>& pairs) {
  const auto looped = study.object("looped");
  const auto visits = looped ? looped->count("backprop_visits") : std::nullopt;
  if (!visits || !pairs.back().looped) return;
  AuditPair truncated = pairs.back();
  truncated.pair = fmt::format("backward through the last {} visits", *visits);
  truncated.looped->loop.backward_visits = *visits;
  truncated.marks = {};
  pairs.push_back(truncated);
}

/// A further pair attends as the study's main one where it does not say.
void adopt_keys(const AuditPair& main, AuditPair& pair) {
  if (!main.looped || !pair.looped || !pair.baseline) return;
  for (Model* model : {&*pair.looped, &*pair.baseline}) {
    if (!model->attended_keys) model->attended_keys = main.looped->attended_keys;
  }
}

void add_study(const Shape& study, const JsonValue& json, const std::string& where,
               std::vector<AuditPair>& pairs) {
  AuditPair main = pair_of(study, study, "");
  const auto marks = study.object("check_marks");
  main.marks = {mark(marks, "flops"), mark(marks, "params"), mark(marks, "kv")};
  pairs.push_back(main);
  add_truncated(study, pairs);
  const JsonValue* more = json.find("more_pairs");
  if (more == nullptr || more->if_array() == nullptr) return;
  for (const JsonValue& item : *more->if_array()) {
    const Shape further(item, where + "/more_pairs");
    if (!further.object("looped") || !further.object("baseline")) continue;
    AuditPair pair = pair_of(study, further, text(further, "pair"));
    adopt_keys(main, pair);
    pairs.push_back(pair);
  }
}

}  // namespace

std::vector<AuditPair> read_audit_pairs(const JsonValue& json) {
  const JsonValue* studies = json.find("studies");
  if (studies == nullptr || studies->if_array() == nullptr) {
    throw InputError("/studies", "is missing", "{\"studies\": [{\"name\": ..., \"looped\": ...}]}");
  }
  std::vector<AuditPair> pairs;
  for (std::size_t i = 0; i < studies->if_array()->size(); ++i) {
    const JsonValue& study = (*studies->if_array())[i];
    const std::string where = fmt::format("/studies/{}", i);
    add_study(Shape(study, where), study, where, pairs);
  }
  return pairs;
}

}  // namespace smelt
