#include "smelt/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/decimal.hpp"
#include "io/named_file.hpp"
#include "io/object_writer.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"

namespace smelt {
namespace {

constexpr const char* kNativeType = "smelt";
constexpr std::int64_t kMostNorms = 1000;
constexpr std::int64_t kMostAttendedKeys = 1'000'000'000'000;

// A value that is missing or wrong is already a mistake when the model is validated, so a harmless
// one takes its place and brings no second line.

GroupedQueryAttention read_attention(ObjectReader& file, std::optional<std::int64_t> hidden_size) {
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
  return attention;
}

void read_experts(ObjectReader& file, Ffn& ffn) {
  file.require({"num_experts", "num_experts_per_tok", "moe_intermediate_size"});
  const auto stored = file.count("num_experts", 1, kLargestSize);
  const auto chosen = file.count("num_experts_per_tok", 1, kLargestSize);
  const auto width = file.count("moe_intermediate_size", 1, kLargestSize);
  ffn.num_experts = stored.value_or(chosen.value_or(1));
  ffn.num_experts_per_tok = chosen.value_or(1);
  ffn.expert_width = width.value_or(1);
  if (file.has("intermediate_size")) {
    file.fault("intermediate_size", "names a dense FFN, but the model has experts",
               "moe_intermediate_size alone");
  }
}

void read_shared_experts(ObjectReader& file, Ffn& ffn) {
  if (file.has("shared_expert_intermediate_size")) file.require({"num_shared_experts"});
  ffn.num_shared_experts = file.count("num_shared_experts", 0, kLargestSize).value_or(0);
  const auto width = file.count("shared_expert_intermediate_size", 1, kLargestSize);
  if (ffn.num_shared_experts > 0) ffn.shared_expert_width = width.value_or(ffn.expert_width);
}

void read_dense_ffn(ObjectReader& file, Ffn& ffn) {
  if (!file.has("intermediate_size")) {
    file.fault({}, "no feed-forward width is given",
               "num_experts, num_experts_per_tok and moe_intermediate_size, or intermediate_size");
  }
  ffn.dense_width = file.count("intermediate_size", 1, kLargestSize).value_or(1);
  for (const char* key : {"num_shared_experts", "shared_expert_intermediate_size"}) {
    if (file.has(key)) file.fault(key, "stands without num_experts", "a model with experts");
  }
}

Ffn read_ffn(ObjectReader& file) {
  Ffn ffn;
  ffn.matrices = file.count("ffn_matrices", 2, 3).value_or(3);
  const bool routed = file.has("num_experts") || file.has("num_experts_per_tok") ||
                      file.has("moe_intermediate_size");
  if (routed) {
    read_experts(file, ffn);
    read_shared_experts(file, ffn);
  } else {
    read_dense_ffn(file, ffn);
  }
  return ffn;
}

std::optional<LoopSpan> read_loop(ObjectReader& file) {
  std::optional<ObjectReader> loop = file.object("loop");
  if (!loop) return std::nullopt;
  loop->require({"start", "length", "visits"});
  const auto start = loop->count("start", 0, kMostLayers);
  const auto length = loop->count("length", 1, kMostLayers);
  const auto visits = loop->count("visits", 1, kMostVisits);
  loop->reject_unknown_keys();
  if (!start || !length || !visits) return std::nullopt;
  return LoopSpan{*start, *length, *visits};
}

std::optional<Rational> read_attended_keys(ObjectReader& file) {
  const auto keys = file.number("attended_keys");
  if (!keys || (*keys > Rational(0) && *keys <= Rational(kMostAttendedKeys))) return keys;
  file.fault("attended_keys",
             fmt::format("{} is too {}", to_string(*keys), *keys > Rational(0) ? "large" : "small"),
             "above 0 and at most 1e12");
  return std::nullopt;
}

/// Keys that name the model and its provenance; they count nothing.
std::string read_labels(ObjectReader& file) {
  file.string("source");
  file.string("description");
  return file.string("name").value_or("");
}

/// Every key that read_native asks for, whichever branch it takes, is known.
void know_all_keys(ObjectReader& file) {
  for (const char* key :
       {"model_type", "num_experts", "num_experts_per_tok", "moe_intermediate_size",
        "num_shared_experts", "shared_expert_intermediate_size", "intermediate_size"}) {
    file.value(key);
  }
}

Model read_native(ObjectReader& file, Mistakes& mistakes) {
  know_all_keys(file);
  file.require({"hidden_size", "num_hidden_layers"});
  const std::string name = read_labels(file);
  const auto hidden_size = file.count("hidden_size", 1, kLargestSize);
  const auto num_layers = file.count("num_hidden_layers", 1, kMostLayers);
  Layer layer;
  layer.attention = read_attention(file, hidden_size);
  layer.ffn = read_ffn(file);
  layer.norms = file.count("norms_per_layer", 0, kMostNorms).value_or(2);
  const std::optional<LoopSpan> loop = read_loop(file);
  Model model = uniform_stack(hidden_size.value_or(1), num_layers.value_or(1), layer);
  model.name = name;
  model.vocab_size = file.count("vocab_size", 1, kLargestSize).value_or(0);
  model.tie_word_embeddings = file.flag("tie_word_embeddings").value_or(false);
  model.attended_keys = read_attended_keys(file);
  file.reject_unknown_keys();
  try {
    validate(model);
  } catch (const InputError& error) {
    mistakes.add(error);
  }
  try {
    if (loop && num_layers) apply_loop(model, *loop);
  } catch (const InputError& error) {
    mistakes.add(error);
  }
  return model;
}

}  // namespace

Model read_model(const JsonValue& json) {
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  if (file.is_object() && !file.has("model_type")) {
    file.fault("model_type", "is missing", "\"smelt\" for smelt's own form");
  }
  const std::optional<std::string> type = file.string("model_type");
  mistakes.throw_if_any();
  if (*type != kNativeType) {
    throw InputError("/model_type", fmt::format("unknown model_type '{}'", printable(*type)),
                     "\"smelt\", smelt's own form");
  }
  Model model = read_native(file, mistakes);
  mistakes.throw_if_any();
  return model;
}

Model read_model_file(const std::filesystem::path& path) {
  return read_named_file(path, read_model);
}

namespace {

void write_ffn(const Ffn& ffn, ObjectWriter& out) {
  if (ffn.num_experts > 0) {
    out.count("num_experts", ffn.num_experts);
    out.count("num_experts_per_tok", ffn.num_experts_per_tok);
    out.count("moe_intermediate_size", ffn.expert_width);
  }
  if (ffn.num_shared_experts > 0) {
    out.count("num_shared_experts", ffn.num_shared_experts);
    out.count("shared_expert_intermediate_size", ffn.shared_expert_width);
  }
  if (ffn.dense_width > 0) out.count("intermediate_size", ffn.dense_width);
  if (ffn.matrices != 3) out.count("ffn_matrices", ffn.matrices);
}

JsonValue loop_json(const LoopSpan& span) {
  ObjectWriter out;
  out.count("start", span.start);
  out.count("length", span.length);
  out.count("visits", span.visits);
  return out.take();
}

[[noreturn]] void refuse(const Model& model, const char* what) {
  throw InputError(model.name, what, "smelt's own form holds like layers and one loop");
}

/// The grouped-query attention of all layers.
const GroupedQueryAttention& common_attention(const Model& model) {
  if (model.layers.empty()) refuse(model, "has no layers");
  if (!is_uniform(model)) refuse(model, "its layers differ");
  const auto* attention = std::get_if<GroupedQueryAttention>(&model.layers.front().attention);
  if (attention == nullptr) refuse(model, "its attention is not grouped-query attention");
  return *attention;
}

/// Whether the written model reads back as the same one, but for how its attended keys are stated.
bool says_all(const JsonValue& written, const Model& model) {
  try {
    Model same = read_model(written);
    same.attended_keys = model.attended_keys;
    same.documents = model.documents;
    same.sequence_length = model.sequence_length;
    return same == model;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

JsonValue model_json(const Model& model) {
  const GroupedQueryAttention& attention = common_attention(model);
  const Layer& layer = model.layers.front();
  const std::vector<LoopSpan> loops = loop_spans(model);
  if (loops.size() > 1) refuse(model, "has more than one loop");
  ObjectWriter out;
  out.add("model_type", JsonValue::string(kNativeType));
  if (!model.name.empty()) out.add("name", JsonValue::string(model.name));
  out.count("hidden_size", model.hidden_size);
  out.count("num_hidden_layers", model.num_layers());
  out.count("num_attention_heads", attention.num_heads);
  out.count("num_key_value_heads", attention.num_key_value_heads);
  out.count("head_dim", attention.head_dim);
  write_ffn(layer.ffn, out);
  if (layer.norms != 2) out.count("norms_per_layer", layer.norms);
  if (model.vocab_size > 0) out.count("vocab_size", model.vocab_size);
  if (model.tie_word_embeddings) out.add("tie_word_embeddings", JsonValue::boolean(true));
  if (!loops.empty()) out.add("loop", loop_json(loops.front()));
  if (model.attended_keys || model.documents || model.sequence_length) {
    out.add("attended_keys", JsonValue::number(decimal_text(mean_keys(model, layer))));
  }
  JsonValue written = out.take();
  if (!says_all(written, model)) refuse(model, "has parts that smelt's own form cannot say");
  return written;
}

std::string write_model(const Model& model) { return write_json(model_json(model)); }

}  // namespace smelt
