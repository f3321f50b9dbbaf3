#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "smelt/model.hpp"
#include "smelt/presets.hpp"

namespace smelt::cli {

/// --attended-keys, --doc-len and --seq-len: --attended-keys excludes the others; a --doc-len
/// beside
/// --seq-len says how long the documents within the sequence are.
struct AttendedKeysFlags {
  std::optional<std::string> attended_keys;
  std::optional<std::string> document_length;
  std::optional<std::string> document_law;
  std::optional<std::string> sequence_length;

  void declare(Flags& flags);
  [[nodiscard]] std::optional<DocumentLaw> documents() const;
  /// Sets what is asked for in place of what the model's file says.
  void apply(Model& model) const;
};

/// Flags that change the models of a command.
struct ModelFlags {
  std::vector<std::string> set;
  std::optional<std::string> loop;
  std::optional<std::string> as_family;
  bool verbose = false;
  AttendedKeysFlags keys;

  void declare(Flags& flags);
  /// All but --loop.
  void declare_reading(Flags& flags);

 private:
  void declare_import(Flags& flags);
};

/// A MODEL argument as it stands: a preset's name, a path, or "-" for standard input; JSON or
/// Megatron-LM's arguments.
Model read_model_argument(const std::string& argument, const Presets& presets);

/// The same with the attended keys asked for.
Model read_model_argument(const std::string& argument, const Presets& presets,
                          const AttendedKeysFlags& keys);

/// A model and whether it was imported rather than read in smelt's own form.
struct ReadModel {
  Model model;
  bool imported = false;
  std::optional<std::int64_t> longest_context;  ///< of an imported config that states one
};

/// The same as read_model_argument with all flags.
ReadModel read_model_with_origin(const std::string& argument, const Presets& presets,
                                 const ModelFlags& flags);

/// The same with all flags: --set before the file is read, then --loop.
Model read_model_argument(const std::string& argument, const Presets& presets,
                          const ModelFlags& flags);

}  // namespace smelt::cli
