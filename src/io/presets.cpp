#include "smelt/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "smelt/error.hpp"
#include "smelt/hardware_file.hpp"
#include "smelt/law_file.hpp"
#include "smelt/model_file.hpp"
#include "smelt/rules_file.hpp"
#include "smelt/space_file.hpp"

namespace smelt {
namespace {

constexpr std::string_view kExtension = ".json";

const char* folder_of(PresetKind kind) {
  switch (kind) {
    case PresetKind::kModel:
      return "models";
    case PresetKind::kRules:
      return "rules";
    case PresetKind::kGrid:
      return "grids";
    case PresetKind::kHardware:
      return "hardware";
    case PresetKind::kSpace:
      return "spaces";
    case PresetKind::kLaw:
      return "laws";
    case PresetKind::kData:
      return "data";
    case PresetKind::kStudies:
      return "studies";
    case PresetKind::kSchema:
      break;
  }
  return "schemas";
}

std::string_view extension_of(PresetKind kind) {
  return kind == PresetKind::kData ? ".csv" : kExtension;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::string_view preset_kind_name(PresetKind kind) {
  switch (kind) {
    case PresetKind::kModel:
      return "model";
    case PresetKind::kRules:
      return "rules";
    case PresetKind::kGrid:
      return "grid";
    case PresetKind::kHardware:
      return "hardware";
    case PresetKind::kSpace:
      return "space";
    case PresetKind::kLaw:
      return "law";
    case PresetKind::kData:
      return "data";
    case PresetKind::kStudies:
      return "studies";
    case PresetKind::kSchema:
      break;
  }
  return "schema";
}

bool is_path(std::string_view argument) {
  return argument.find('/') != std::string_view::npos || ends_with(argument, kExtension);
}

std::vector<std::string> Presets::names(PresetKind kind) const {
  std::set<std::string> names;
  for (const std::filesystem::path& root : roots_) {
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(root / folder_of(kind), absent)) {
      if (entry.path().extension() == extension_of(kind))
        names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::filesystem::path Presets::find(PresetKind kind, std::string_view name) const {
  // Only a name that a folder lists is joined to it, so no name leads out of the preset folders.
  const std::vector<std::string> known = names(kind);
  for (const std::filesystem::path& root : roots_) {
    if (std::find(known.begin(), known.end(), name) == known.end()) break;
    std::filesystem::path file = root / folder_of(kind) / (std::string(name) += extension_of(kind));
    std::error_code absent;
    if (std::filesystem::exists(file, absent)) return file;
  }
  const std::string meant = did_you_mean(name, known);
  throw InputError(
      {}, fmt::format("no {} preset '{}'", preset_kind_name(kind), printable(name)),
      meant.empty() ? "`smelt presets` lists them; a path has a / or ends in .json" : meant);
}

std::filesystem::path Presets::locate(PresetKind kind, std::string_view name_or_path) const {
  if (is_path(name_or_path)) return std::filesystem::path(std::string(name_or_path));
  return find(kind, name_or_path);
}

Model Presets::model(std::string_view name_or_path) const {
  return read_model_file(locate(PresetKind::kModel, name_or_path));
}

Rules Presets::rules(std::string_view name_or_path) const {
  return read_rules_file(locate(PresetKind::kRules, name_or_path));
}

Law Presets::law(std::string_view name_or_path) const {
  return read_law_file(locate(PresetKind::kLaw, name_or_path));
}

SearchSpace Presets::space(std::string_view name_or_path) const {
  return read_space_file(locate(PresetKind::kSpace, name_or_path), *this);
}

Grid Presets::grid(std::string_view name_or_path) const {
  return read_grid_file(locate(PresetKind::kGrid, name_or_path));
}

Hardware Presets::hardware(std::string_view name_or_path) const {
  return read_hardware_file(locate(PresetKind::kHardware, name_or_path));
}

}  // namespace smelt
