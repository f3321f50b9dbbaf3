#include "smelt/text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <istream>
#include <system_error>

#include "smelt/error.hpp"

namespace smelt {
namespace {

[[noreturn]] void too_large(std::string_view where, std::size_t most) {
  throw InputError(std::string(where), fmt::format("is larger than {} MiB", most >> 20),
                   "a model or rules file is small");
}

[[noreturn]] void unreadable(std::string_view where, const std::error_code& error) {
  throw InputError(std::string(where), "cannot be read: " + error.message());
}

/// What the file system says against reading `path`, before it is opened.
void check_file(const std::filesystem::path& path, std::string_view where, std::size_t most) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(std::string(where), "no such file");
  }
  if (error) unreadable(where, error);
  if (std::filesystem::is_directory(status)) {
    throw InputError(std::string(where), "is a directory", "a file");
  }
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) > most &&
      !error) {
    too_large(where, most);
  }
}

}  // namespace

std::string read_text_stream(std::istream& stream, std::string_view where, std::size_t most) {
  std::string text;
  std::array<char, 1 << 16> block{};
  errno = 0;
  do {
    stream.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) too_large(where, most);
  } while (stream);
  if (stream.bad()) {
    const int code = errno != 0 ? errno : EIO;
    unreadable(where, std::error_code(code, std::generic_category()));
  }
  if (text.empty()) throw InputError(std::string(where), "is empty");
  return text;
}

std::string read_text_file(const std::filesystem::path& path, std::size_t most) {
  const std::string where = printable(path.string());
  check_file(path, where, most);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) unreadable(where, std::error_code(errno, std::generic_category()));
  return read_text_stream(file, where, most);
}

JsonValue read_json_file(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  try {
    return parse_json(text);
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

}  // namespace smelt
