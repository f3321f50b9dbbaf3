#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/json_value.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// What an import took from where: an alias in place of the usual key, a default that the family
/// leaves out of its configs, a part that is not counted.
struct ImportNote {
  std::string key;
  std::string text;
};

/// A model read from a Hugging Face config.json.
struct HfImport {
  Model model;
  std::string family;  ///< its name in hf_families()
  std::vector<ImportNote> notes;
  /// max_position_embeddings, the longest context: no statement of the documents that are trained
  /// on, so nothing is counted with it unless a command says so. Absent where not stated soundly.
  std::optional<std::int64_t> longest_context;
};

/// Reads a Hugging Face config. The family comes from `model_type` (of `text_config` where the text
/// model is nested), from `architectures` where there is no model_type, or from `as_family` where
/// that is not empty; sizes come from keys alone, never from a name.
/// Throws InputError, at the JSON pointer of the key, for an unknown family, a missing or
/// conflicting count, a value of the wrong kind or beyond reason, and for a key that changes the
/// count in a way that the family does not know.
HfImport import_hf_config(const JsonValue& json, std::string_view as_family = {});

/// Whether the JSON is a Hugging Face config rather than smelt's own model file.
bool looks_like_hf_config(const JsonValue& json);

/// One key that a family reads.
struct HfKey {
  std::string name;
  std::string rule;  ///< "required", or what an absent key means
};

/// A family of models that share a `model_type`.
struct HfFamily {
  std::string name;
  std::vector<std::string> model_types;    ///< further values of model_type
  std::vector<std::string> wrappers;       ///< values of model_type that nest it in text_config
  std::vector<std::string> architectures;  ///< for configs without model_type
  std::string quirks;                      ///< what its configs do not say
  std::string source;                      ///< where the rule was read
};

/// All known families, sorted by name.
std::vector<HfFamily> hf_families();

/// The family that a model_type names. Throws InputError for an unknown one.
HfFamily hf_family(std::string_view model_type);

/// The keys that a family reads, in order. Throws InputError for an unknown name.
std::vector<HfKey> hf_family_keys(std::string_view family);

/// The other names under which a key is accepted.
std::vector<std::string> hf_key_aliases(std::string_view key);

}  // namespace smelt
