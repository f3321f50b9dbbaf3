#include "io/native/stack_form.hpp"

#include <fmt/format.h>

#include <string>

#include "core/enum_names.hpp"
#include "io/decimal.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"

namespace smelt::native {

namespace {

constexpr std::int64_t kMostNorms = 1000;
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr std::int64_t kMostExtraWeights = 1'000'000'000'000'000;

constexpr EnumNames<NormKind, 3> kNormKinds = {{{{NormKind::kWeight, "weight"},
                                                 {NormKind::kWeightAndBias, "weight_and_bias"},
                                                 {NormKind::kWeightless, "weightless"}}}};

NormKind read_norm_kind(ObjectReader& file) {
  const auto name = file.string("norm");
  if (!name) return NormKind::kWeight;
  for (const auto& [kind, text] : kNormKinds.entries) {
    if (text == *name) return kind;
  }
  file.fault("norm", fmt::format("unknown norm '{}'", printable(*name)),
             "weight, weight_and_bias or weightless");
  return NormKind::kWeight;
}

std::optional<Rational> read_attended_keys(ObjectReader& file) {
  const auto keys = file.number("attended_keys");
  if (!keys || (*keys > Rational(0) && *keys <= Rational(kMostTokens))) return keys;
  file.fault("attended_keys",
             fmt::format("{} is too {}", to_string(*keys), *keys > Rational(0) ? "large" : "small"),
             "above 0 and at most 1e12");
  return std::nullopt;
}

/// {"law": "constant" or "geometric", "mean_length": T}, or {"lengths": [...]}.
std::optional<DocumentLaw> read_documents(ObjectReader& file) {
  std::optional<ObjectReader> documents = file.object("documents");
  if (!documents) return std::nullopt;
  std::optional<DocumentLaw> law;
  if (documents->has("lengths")) {
    law = ListedDocuments{documents->counts("lengths", 1, kMostTokens)};
    if (std::get<ListedDocuments>(*law).lengths.empty()) law.reset();
  } else {
    documents->require({"law", "mean_length"});
    const auto name = documents->string("law");
    const auto length = documents->count("mean_length", 1, kMostTokens);
    if (name && *name != "constant" && *name != "geometric") {
      documents->fault("law", fmt::format("unknown document law '{}'", printable(*name)),
                       "constant or geometric");
    } else if (name && length) {
      law = document_law(*name, *length, "");
    }
  }
  documents->reject_unknown_keys();
  return law;
}

std::vector<NamedWeights> read_extras(ObjectReader& file) {
  std::vector<NamedWeights> extras;
  const JsonValue::Array* items = file.array("extras");
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    ObjectReader item = file.item("extras", i);
    item.require({"name"});
    NamedWeights extra;
    extra.name = item.string("name").value_or("");
    extra.matrix = item.count("matrix", 0, kMostExtraWeights).value_or(0);
    extra.vectors = item.count("vectors", 0, kMostExtraWeights).value_or(0);
    extra.visits = item.count("visits", 0, kMostVisits).value_or(1);
    item.reject_unknown_keys();
    extras.push_back(extra);
  }
  return extras;
}

}  // namespace

void read_outside(ObjectReader& file, Model& model) {
  model.norm = read_norm_kind(file);
  model.final_norms = file.count("final_norms", 0, kMostNorms).value_or(1);
  model.vocab_size = file.count("vocab_size", 1, kLargestSize).value_or(0);
  model.tie_word_embeddings = file.flag("tie_word_embeddings").value_or(false);
  model.has_output_head = file.flag("output_head").value_or(true);
  model.output_head_bias = file.flag("lm_head_bias").value_or(false);
  model.embedding.positions = file.count("learned_positions", 0, kLargestSize).value_or(0);
  model.embedding.token_types = file.count("type_vocab_size", 0, kLargestSize).value_or(0);
  model.embedding.embedding_size = file.count("embedding_size", 1, kLargestSize).value_or(0);
  model.embedding.norms = file.count("embedding_norms", 0, kMostNorms).value_or(0);
  model.extras = read_extras(file);
  model.causal = file.flag("causal").value_or(true);
  model.attended_keys = read_attended_keys(file);
  model.documents = read_documents(file);
  model.sequence_length = file.count("sequence_length", 1, kMostTokens);
}

namespace {

void write_embedding(const EmbeddingExtras& embedding, ObjectWriter& out) {
  const auto count = [&](const char* key, std::int64_t value) {
    if (value > 0) out.count(key, value);
  };
  count("learned_positions", embedding.positions);
  count("type_vocab_size", embedding.token_types);
  count("embedding_size", embedding.embedding_size);
  count("embedding_norms", embedding.norms);
}

void write_extras(const std::vector<NamedWeights>& extras, ObjectWriter& out) {
  if (extras.empty()) return;
  JsonValue::Array items;
  for (const NamedWeights& extra : extras) {
    ObjectWriter item;
    item.add("name", JsonValue::string(extra.name));
    if (extra.matrix > 0) item.count("matrix", extra.matrix);
    if (extra.vectors > 0) item.count("vectors", extra.vectors);
    if (extra.visits != 1) item.count("visits", extra.visits);
    items.push_back(item.take());
  }
  out.add("extras", JsonValue::array(std::move(items)));
}

struct DocumentsJson {
  JsonValue operator()(const ConstantDocuments& law) const { return mean("constant", law.length); }
  JsonValue operator()(const GeometricDocuments& law) const {
    return mean("geometric", law.mean_length);
  }
  JsonValue operator()(const ListedDocuments& law) const {
    JsonValue::Array lengths;
    for (const std::int64_t length : law.lengths) {
      lengths.push_back(JsonValue::number(std::to_string(length)));
    }
    ObjectWriter out;
    out.add("lengths", JsonValue::array(std::move(lengths)));
    return out.take();
  }

 private:
  static JsonValue mean(const char* law, std::int64_t length) {
    ObjectWriter out;
    out.add("law", JsonValue::string(law));
    out.count("mean_length", length);
    return out.take();
  }
};

}  // namespace

void write_outside(const Model& model, ObjectWriter& out) {
  if (model.norm != NormKind::kWeight) {
    out.add("norm", JsonValue::string(std::string(kNormKinds.of(model.norm))));
  }
  if (model.final_norms != 1) out.count("final_norms", model.final_norms);
  if (model.vocab_size > 0) out.count("vocab_size", model.vocab_size);
  if (model.tie_word_embeddings) out.add("tie_word_embeddings", JsonValue::boolean(true));
  if (!model.has_output_head) out.add("output_head", JsonValue::boolean(false));
  if (model.output_head_bias) out.add("lm_head_bias", JsonValue::boolean(true));
  write_embedding(model.embedding, out);
  write_extras(model.extras, out);
  if (!model.causal) out.add("causal", JsonValue::boolean(false));
  if (model.attended_keys) {
    out.add("attended_keys", JsonValue::number(decimal_text(*model.attended_keys)));
  }
  if (model.documents) out.add("documents", std::visit(DocumentsJson{}, *model.documents));
  if (model.sequence_length) out.count("sequence_length", *model.sequence_length);
}

}  // namespace smelt::native
