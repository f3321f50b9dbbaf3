#include "smelt/hf_config.hpp"

#include <fmt/format.h>

#include "hf/config.hpp"
#include "hf/families.hpp"
#include "hf/keys.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

namespace {

using hf::Family;

/// The config of the text model and its place.
struct TextConfig {
  const JsonValue* json;
  std::string where;
};

TextConfig text_config_of(const JsonValue& json) {
  const JsonValue* nested = json.find("text_config");
  if (nested == nullptr || nested->is_null()) return {&json, ""};
  if (nested->if_object() != nullptr) return {nested, "/text_config"};
  throw InputError("/text_config", fmt::format("is {}, not an object", nested->kind()));
}

std::vector<std::string> known_types() {
  std::vector<std::string> names;
  for (const Family& family : hf::all_families()) {
    names.push_back(family.facts.name);
    for (const std::string& type : family.facts.model_types) names.push_back(type);
    for (const std::string& type : family.facts.wrappers) names.push_back(type);
  }
  return names;
}

[[noreturn]] void unknown_type(const std::string& where, const std::string& type) {
  std::string hint = did_you_mean(type, known_types());
  if (!hint.empty()) hint += "; ";
  throw InputError(where, fmt::format("unknown model_type '{}'", printable(type)),
                   hint + "--as FAMILY for one derived from a known family, see smelt families");
}

/// The family that a model_type names; null where the config states none.
const Family* family_by_type(const JsonValue& json, const std::string& where) {
  const JsonValue* type = json.find("model_type");
  if (type == nullptr || type->is_null()) return nullptr;
  const std::string* name = type->if_string();
  if (name == nullptr) {
    throw InputError(where + "/model_type", fmt::format("is {}, not a string", type->kind()));
  }
  const Family* family = hf::family_of_type(*name);
  if (family == nullptr) unknown_type(where + "/model_type", *name);
  if (hf::is_wrapper(*family, *name) && where.empty() && text_config_of(json).json == &json) {
    throw InputError(
        "/text_config", fmt::format("is missing, but model_type '{}' nests it", *name),
        fmt::format("give it, or model_type '{}' for the text model alone", family->facts.name));
  }
  return family;
}

const Family* family_by_architecture(const JsonValue& json) {
  const JsonValue* names = json.find("architectures");
  if (names == nullptr || names->if_array() == nullptr || names->if_array()->empty()) {
    return nullptr;
  }
  const std::string* name = names->if_array()->front().if_string();
  const Family* family = name != nullptr ? hf::family_of_architecture(*name) : nullptr;
  if (name != nullptr && family == nullptr) {
    throw InputError("/architectures", fmt::format("unknown architecture '{}'", printable(*name)),
                     "--as FAMILY for one derived from a known family, see smelt families");
  }
  return family;
}

const Family& family_named(std::string_view name, const std::string& where) {
  const Family* family = hf::family_of_type(name);
  if (family == nullptr) unknown_type(where, std::string(name));
  return *family;
}

const Family& family_of(const JsonValue& json, const TextConfig& text, std::string_view as_family) {
  if (!as_family.empty()) return family_named(as_family, "--as");
  if (const Family* family = family_by_type(*text.json, text.where)) return *family;
  if (text.json != &json) {
    if (const Family* family = family_by_type(json, "")) return *family;
  }
  if (const Family* family = family_by_architecture(json)) return *family;
  throw InputError("/model_type", "is missing, and architectures names no known family",
                   "give model_type, or name the family with --as");
}

/// The text model's keys; tie_word_embeddings may stand beside text_config instead of in it.
JsonValue text_keys(const JsonValue& json, const TextConfig& text) {
  constexpr const char* kTie = "tie_word_embeddings";
  JsonValue keys = *text.json;
  const JsonValue* outer = json.find(kTie);
  if (text.json == &json || outer == nullptr || keys.find(kTie) != nullptr) return keys;
  keys.if_object()->emplace_back(kTie, *outer);
  return keys;
}

/// A config that states experts and whose layer pattern leaves none to route to.
void reject_dense_mixture(const hf::Config& config, const std::string& where, const Model& model) {
  const JsonValue* experts = config.peek("num_experts");
  const std::string* number = experts != nullptr ? experts->if_number() : nullptr;
  if (number == nullptr || *number == "0" || *number == "1") return;
  for (const Layer& layer : model.layers) {
    if (layer.ffn.num_experts > 0) return;
  }
  throw InputError(where + "/num_experts", fmt::format("is {}, but no layer routes", *number),
                   "a layer pattern (moe_layer_freq, decoder_sparse_step, ...) that leaves some");
}

std::optional<std::int64_t> longest_context(const hf::Config& config) {
  const JsonValue* stated = config.peek("max_position_embeddings");
  const std::string* number = stated != nullptr ? stated->if_number() : nullptr;
  if (number == nullptr) return std::nullopt;
  try {
    return parse_count(*number, "max_position_embeddings", 1, kLargestSize);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void note_other_towers(const JsonValue& json, std::vector<ImportNote>& notes) {
  for (const char* key : {"vision_config", "audio_config"}) {
    if (json.find(key) != nullptr) notes.push_back({json_pointer("", key), "not counted"});
  }
}

}  // namespace

HfImport import_hf_config(const JsonValue& json, std::string_view as_family) {
  if (json.if_object() == nullptr) {
    throw InputError("", fmt::format("is {}, not an object", json.kind()), "a config.json");
  }
  const TextConfig text = text_config_of(json);
  const Family& family = family_of(json, text, as_family);
  hf::Findings findings;
  const JsonValue keys = text_keys(json, text);
  hf::Config config(keys, text.where, findings);
  HfImport import;
  import.model = family.build(config);
  config.reject_unread(family.facts.name);
  findings.mistakes.throw_if_any();
  reject_dense_mixture(config, text.where, import.model);
  validate(import.model);
  note_other_towers(json, findings.notes);
  import.family = family.facts.name;
  import.notes = std::move(findings.notes);
  import.longest_context = longest_context(config);
  return import;
}

bool looks_like_hf_config(const JsonValue& json) {
  const JsonValue* type = json.find("model_type");
  if (type != nullptr && type->if_string() != nullptr) return *type->if_string() != "smelt";
  return json.find("architectures") != nullptr || json.find("text_config") != nullptr;
}

std::vector<HfFamily> hf_families() {
  std::vector<HfFamily> families;
  for (const Family& family : hf::all_families()) families.push_back(family.facts);
  return families;
}

HfFamily hf_family(std::string_view model_type) { return family_named(model_type, "family").facts; }

std::vector<HfKey> hf_family_keys(std::string_view family) {
  const JsonValue nothing = JsonValue::object({});
  hf::Findings findings;
  hf::Config config(nothing, "", findings);
  family_named(family, "family").build(config);
  return findings.keys;
}

std::vector<std::string> hf_key_aliases(std::string_view key) {
  const hf::KeySpec spec = hf::key_spec(key);
  return {spec.aliases.begin(), spec.aliases.end()};
}

}  // namespace smelt
