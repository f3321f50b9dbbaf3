#pragma once

#include <filesystem>
#include <string>

#include "smelt/json_value.hpp"
#include "smelt/law.hpp"

namespace smelt {

/// Reads a law: its form, its coefficients by name (or, under "unstated", the names of those that
/// its source does not give), what its variables count, the window of its runs, its source.
/// Throws InputError with every mistake of the file, each at its JSON pointer.
Law read_law(const JsonValue& json);

/// The law file at `path`; errors name it. A law without a name takes the file's.
Law read_law_file(const std::filesystem::path& path);

/// The law as read_law reads it back.
JsonValue law_json(const Law& law);
std::string write_law(const Law& law);

}  // namespace smelt
