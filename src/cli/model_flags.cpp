#include "cli/model_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "smelt/error.hpp"
#include "smelt/export.hpp"
#include "smelt/hf_config.hpp"
#include "smelt/json_value.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"
#include "smelt/text_file.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kLongestDocument = 1'000'000'000'000;

/// The text behind a MODEL argument, and how errors name it.
struct ModelSource {
  std::string text;
  std::string name;
};

constexpr std::string_view kArgumentsExtension = ".args";

bool is_model_path(std::string_view argument) {
  const std::size_t size = kArgumentsExtension.size();
  return is_path(argument) ||
         (argument.size() > size && argument.substr(argument.size() - size) == kArgumentsExtension);
}

ModelSource read_source(const std::string& argument, const Presets& presets) {
  if (argument == "-") return {read_text_stream(std::cin, "-"), "-"};
  const std::filesystem::path path = is_model_path(argument)
                                         ? std::filesystem::path(argument)
                                         : presets.find(PresetKind::kModel, argument);
  return {read_text_file(path), printable(argument)};
}

/// The value of --set: JSON where it is that, a whole number as people write it, else a string.
JsonValue set_value(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const InputError&) {
  }
  try {
    return JsonValue::number(std::to_string(parse_count(text, "--set")));
  } catch (const InputError&) {
    return JsonValue::string(text);
  }
}

/// One --set KEY=VALUE.
struct Assignment {
  std::string key;
  JsonValue value;
};

std::vector<Assignment> parse_assignments(const std::vector<std::string>& texts) {
  std::vector<Assignment> assignments;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--set", fmt::format("'{}' sets no key", text),
                       "KEY=VALUE, as in num_experts=64");
    }
    assignments.push_back({text.substr(0, equals), set_value(text.substr(equals + 1))});
  }
  return assignments;
}

void set_key(JsonValue& json, const Assignment& assignment) {
  JsonValue::Object* const members = json.if_object();
  if (members == nullptr) return;  // the model's reader says so
  for (JsonValue::Member& member : *members) {
    if (member.first == assignment.key) {
      member.second = assignment.value;
      return;
    }
  }
  members->emplace_back(assignment.key, assignment.value);
}

/// What an import took from where, for -v.
void print_notes(const HfImport& import) {
  std::cerr << fmt::format("smelt: family {}\n", import.family);
  for (const ImportNote& note : import.notes) {
    std::cerr << fmt::format("smelt: {}: {}\n", note.key, note.text);
  }
}

ReadModel read_json_model(const std::string& text, const std::vector<Assignment>& assignments,
                          const ModelFlags& flags) {
  JsonValue json = parse_json(text);
  for (const Assignment& assignment : assignments) set_key(json, assignment);
  if (!flags.as_family && !looks_like_hf_config(json)) {
    return {read_model(json), looks_like_torchtitan_arguments(json), {}};
  }
  HfImport import = import_hf_config(json, flags.as_family.value_or(""));
  if (flags.verbose) print_notes(import);
  return {std::move(import.model), true, import.longest_context};
}

ReadModel read_arguments(const std::string& text, const ModelFlags& flags) {
  if (!flags.set.empty() || flags.as_family) {
    throw InputError(flags.as_family ? "--as" : "--set",
                     "goes with a JSON file, and these are Megatron-LM's arguments",
                     "change the arguments themselves");
  }
  return {import_megatron_arguments(text), true, {}};
}

ReadModel read_source_model(const std::string& argument, const Presets& presets,
                            const ModelFlags& flags) {
  const std::vector<Assignment> assignments = parse_assignments(flags.set);
  const ModelSource source = read_source(argument, presets);
  try {
    ReadModel read = looks_like_megatron_arguments(source.text)
                         ? read_arguments(source.text, flags)
                         : read_json_model(source.text, assignments, flags);
    if (read.model.name.empty()) {
      read.model.name = std::filesystem::path(source.name).stem().string();
    }
    return read;
  } catch (const InputError& error) {
    throw error.within(source.name);
  }
}

void loop_model(Model& model, const std::string& text) {
  const std::optional<LoopSpan> span = parse_loop(text, model.num_layers(), "--loop");
  for (Layer& layer : model.layers) layer.visits = 1;
  if (span) apply_loop(model, *span);
  model.name += span ? " " + text : " unlooped";
}

}  // namespace

void AttendedKeysFlags::declare(Flags& flags) {
  flags.heading("Mean attended keys, one of these (default: the model file's)");
  flags.option("--attended-keys", "N", attended_keys, "Keys a query attends to, on average");
  flags.option("--doc-len", "T", document_length,
               "Whole documents (or T,T,...); causal: (T + 1) / 2");
  flags.option("--doc-law", "LAW", document_law, "Their lengths: constant (default), geometric");
  flags.option("--seq-len", "S", sequence_length, "Causal, one document of S tokens: (S + 1) / 2");
}

namespace {

/// Documents of that law, whose mean keys follow each layer's window; attended_keys says what they
/// come to without one.
void set_documents(Model& model, const DocumentLaw& law) {
  model.documents = law;
  model.attended_keys = mean_keys(law, {}, model.causal);
}

Rational positive_keys(const std::string& text) {
  const Rational keys = parse_number(text, "--attended-keys");
  if (keys <= Rational(0)) {
    throw InputError("--attended-keys", text + " is too small", "above 0");
  }
  return keys;
}

std::int64_t length(const std::string& text, const char* flag) {
  return parse_count(text, flag, 1, kLongestDocument);
}

/// "4096,2048,2048".
std::vector<std::int64_t> listed_lengths(const std::string& text) {
  std::vector<std::int64_t> lengths;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    lengths.push_back(length(text.substr(start, end - start), "--doc-len"));
    start = end + 1;
  }
  return lengths;
}

}  // namespace

/// The documents asked for; absent without --doc-len.
std::optional<DocumentLaw> AttendedKeysFlags::documents() const {
  if (!document_length) {
    if (document_law) throw InputError("--doc-law", "goes with --doc-len", "give --doc-len T too");
    return std::nullopt;
  }
  if (document_length->find(',') != std::string::npos) {
    return ListedDocuments{listed_lengths(*document_length)};
  }
  return smelt::document_law(document_law.value_or("constant"),
                             length(*document_length, "--doc-len"), "--doc-law");
}

void AttendedKeysFlags::apply(Model& model) const {
  if (attended_keys && (document_length || sequence_length)) {
    throw InputError("--attended-keys, --doc-len, --seq-len", "exclude each other",
                     "give one of them");
  }
  if (sequence_length) {
    model.sequence_length = length(*sequence_length, "--seq-len");
    set_documents(model, ConstantDocuments{*model.sequence_length});
  }
  if (const auto law = documents()) set_documents(model, *law);
  if (attended_keys) {
    model.attended_keys = positive_keys(*attended_keys);
    model.documents.reset();
  }
}

void ModelFlags::declare_import(Flags& flags) {
  flags.option("--as", "FAMILY", as_family, "Family of a Hugging Face config (smelt families)");
  flags.toggle("-v,--verbose", verbose, "Say which keys and defaults an import took");
  flags.repeatable("--set", "KEY=VALUE", set, "Change a key of the model file; repeatable");
  keys.declare(flags);
}

void ModelFlags::declare(Flags& flags) {
  flags.heading("Model");
  flags.option("--loop", "LOOP", loop, "1/2x2 (middle half, twice), 4-9x2 or none");
  declare_import(flags);
}

void ModelFlags::declare_reading(Flags& flags) {
  flags.heading("Model");
  declare_import(flags);
}

Model read_model_argument(const std::string& argument, const Presets& presets) {
  return read_source_model(argument, presets, {}).model;
}

Model read_model_argument(const std::string& argument, const Presets& presets,
                          const AttendedKeysFlags& keys) {
  Model model = read_model_argument(argument, presets);
  keys.apply(model);
  return model;
}

ReadModel read_model_with_origin(const std::string& argument, const Presets& presets,
                                 const ModelFlags& flags) {
  ReadModel read = read_source_model(argument, presets, flags);
  flags.keys.apply(read.model);
  if (flags.loop) loop_model(read.model, *flags.loop);
  return read;
}

Model read_model_argument(const std::string& argument, const Presets& presets,
                          const ModelFlags& flags) {
  return read_model_with_origin(argument, presets, flags).model;
}

}  // namespace smelt::cli
