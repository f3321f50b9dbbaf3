#pragma once

#include <filesystem>
#include <string>

#include "smelt/error.hpp"
#include "smelt/text_file.hpp"

namespace smelt {

/// The text file at `path`, read by `read`; errors name the file, and a value without a name takes
/// the file's.
template <typename Read>
auto read_named_text(const std::filesystem::path& path, Read read) {
  const std::string text = read_text_file(path);
  try {
    auto value = read(text);
    if (value.name.empty()) value.name = printable(path.stem().string());
    return value;
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

/// The same for a JSON file.
template <typename Read>
auto read_named_file(const std::filesystem::path& path, Read read) {
  return read_named_text(path, [&](const std::string& text) { return read(parse_json(text)); });
}

}  // namespace smelt
