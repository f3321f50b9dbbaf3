#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "smelt/json_value.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// A model in the form that a training framework reads.
struct Export {
  std::string text;
  std::string file_name;  ///< the usual name of such a file
};

/// The targets by name: hf, megatron, torchtitan, smelt.
const std::vector<std::string>& export_targets();

/// hf: a config.json of the family that has the model's shape. megatron: Megatron-LM's arguments,
/// one a line. torchtitan: a JSON object of model arguments. smelt: smelt's own form. Throws
/// InputError for an unknown target, and for what the target cannot express (a loop, another kind
/// of layer): nothing is left out in silence.
Export export_model(const Model& model, std::string_view target);

/// Whether the JSON is torchtitan's model arguments: dim and n_layers, and no model_type.
bool looks_like_torchtitan_arguments(const JsonValue& json);

/// Reads torchtitan's model arguments as export_model writes them. Throws InputError with every
/// mistake at its JSON pointer, arguments that are not known among them.
Model import_torchtitan_arguments(const JsonValue& json);

/// Whether the text is Megatron-LM's arguments rather than JSON: its first word begins with --.
bool looks_like_megatron_arguments(std::string_view text);

/// Reads Megatron-LM's arguments as a run's script holds them: `--name value`, `--name=value` and
/// switches, many to a line, with line ends escaped or not, # comments, and the frame of a shell
/// array (MODEL_ARGS=( ... )) left out. Throws InputError for an argument without its value, for
/// missing counts, and for arguments that may change the count and are not known.
Model import_megatron_arguments(std::string_view text);

}  // namespace smelt
