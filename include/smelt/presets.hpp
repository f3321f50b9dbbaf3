#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "smelt/grid_file.hpp"
#include "smelt/hardware.hpp"
#include "smelt/law.hpp"
#include "smelt/model.hpp"
#include "smelt/rules.hpp"
#include "smelt/search_space.hpp"

namespace smelt {

/// What a preset file holds; each kind has its folder under a preset root.
enum class PresetKind {
  kModel,     ///< models/
  kRules,     ///< rules/
  kGrid,      ///< grids/
  kSpace,     ///< spaces/, design spaces of `smelt search`
  kHardware,  ///< hardware/, the devices of `smelt time`
  kLaw,       ///< laws/, loss laws
  kData,      ///< data/, training runs as CSV
  kStudies,   ///< studies/, published looped designs with their baselines
  kSchema,    ///< schemas/, the JSON Schemas of smelt's files
};

/// "model", "rules", "grid", "space", "hardware", "law", "data", "studies" or "schema".
std::string_view preset_kind_name(PresetKind kind);

/// Whether a MODEL, rules or grid argument is a path (it holds a slash or ends in .json) rather
/// than a preset's name.
bool is_path(std::string_view argument);

/// The preset files under some root folders; where two roots have the same name, the earlier wins.
class Presets {
 public:
  /// A root that does not exist holds no presets.
  explicit Presets(std::vector<std::filesystem::path> roots) : roots_(std::move(roots)) {}

  /// All names of a kind, sorted.
  [[nodiscard]] std::vector<std::string> names(PresetKind kind) const;

  /// The file of a preset. Throws InputError, with the nearest name, when there is none.
  [[nodiscard]] std::filesystem::path find(PresetKind kind, std::string_view name) const;

  /// Each takes a preset's name or a path. Throws InputError as the readers of the files do.
  [[nodiscard]] Model model(std::string_view name_or_path) const;
  [[nodiscard]] Rules rules(std::string_view name_or_path) const;
  [[nodiscard]] Grid grid(std::string_view name_or_path) const;
  [[nodiscard]] Hardware hardware(std::string_view name_or_path) const;
  [[nodiscard]] SearchSpace space(std::string_view name_or_path) const;
  [[nodiscard]] Law law(std::string_view name_or_path) const;

 private:
  [[nodiscard]] std::filesystem::path locate(PresetKind kind, std::string_view name_or_path) const;

  std::vector<std::filesystem::path> roots_;
};

}  // namespace smelt
