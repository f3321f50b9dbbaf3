#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "smelt/json_value.hpp"

namespace smelt {

/// The largest text that is read, 16 MiB.
inline constexpr std::size_t kLargestText = std::size_t{16} << 20;

/// The whole of a file. Throws InputError at the path when it is missing, a directory, unreadable,
/// empty or larger than `most` bytes (endless ones, such as devices, included).
std::string read_text_file(const std::filesystem::path& path, std::size_t most = kLargestText);

/// The same for an open stream, named `where` in errors (standard input is "-").
std::string read_text_stream(std::istream& stream, std::string_view where,
                             std::size_t most = kLargestText);

/// read_text_file, then parse_json; errors in the text name the file too.
JsonValue read_json_file(const std::filesystem::path& path);

}  // namespace smelt
