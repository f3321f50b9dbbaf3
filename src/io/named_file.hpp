#pragma once

#include <filesystem>

#include "smelt/error.hpp"
#include "smelt/text_file.hpp"

namespace smelt {

/// The JSON file at `path`, read by `read`; errors name the file, and a value without a name takes
/// the file's.
template <typename Read>
auto read_named_file(const std::filesystem::path& path, Read read) {
  const JsonValue json = read_json_file(path);
  try {
    auto value = read(json);
    if (value.name.empty()) value.name = printable(path.stem().string());
    return value;
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

}  // namespace smelt
