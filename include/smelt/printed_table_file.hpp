#pragma once

#include <filesystem>
#include <string_view>

#include "smelt/printed_table.hpp"

namespace smelt {

/// A table of printed figures: JSON in smelt's own form ("rows"), JSON that holds the two arrays
/// "baseline" and "smelt" of a publication's configuration tables (all else in it is left out), or
/// CSV. Numbers are read as the digits they are written in. docs/infer.md describes the keys.
/// Throws InputError with every mistake of the file.
PrintedTable parse_printed_table(std::string_view text);

/// The file at `path`; errors name it.
PrintedTable read_printed_table(const std::filesystem::path& path);

}  // namespace smelt
