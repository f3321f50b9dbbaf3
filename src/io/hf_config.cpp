#include "smelt/hf_config.hpp"

#include <fmt/format.h>

#include "hf/config.hpp"
#include "hf/families.hpp"
#include "hf/keys.hpp"

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

/// tie_word_embeddings may stand beside text_config instead of in it.
void adopt_outer_tie(const JsonValue& json, const TextConfig& text, Model& model,
                     hf::Config& config) {
  if (text.json == &json) return;
  const JsonValue* outer = json.find("tie_word_embeddings");
  const bool* tied = outer != nullptr ? outer->if_bool() : nullptr;
  if (tied == nullptr || config.has("tie_word_embeddings")) return;
  model.tie_word_embeddings = *tied;
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
  hf::Config config(*text.json, text.where, findings);
  HfImport import;
  import.model = family.build(config);
  config.reject_unread(family.facts.name);
  findings.mistakes.throw_if_any();
  adopt_outer_tie(json, text, import.model, config);
  validate(import.model);
  note_other_towers(json, findings.notes);
  import.family = family.facts.name;
  import.notes = std::move(findings.notes);
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
