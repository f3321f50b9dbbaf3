#include "architecture/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace {

bool is_source(const fs::path& path) {
  static constexpr std::array kExtensions = {".hpp", ".cpp", ".cu", ".cuh"};
  return std::find(kExtensions.begin(), kExtensions.end(), path.extension()) != kExtensions.end();
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

int line_at(std::string_view text, std::size_t at) {
  const auto from_start = text.substr(0, at);
  return 1 + static_cast<int>(std::count(from_start.begin(), from_start.end(), '\n'));
}

/// Where the comment or literal that starts at `at` ends (one past its last character); `at` itself
/// where none starts there.
std::size_t end_of_blank(std::string_view text, std::size_t at) {
  const auto past = [&](std::string_view closing, std::size_t from) {
    const std::size_t found = text.find(closing, from);
    return found == std::string_view::npos ? text.size() : found + closing.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return past("*/", at + 2);
  if (rest.starts_with("R\"")) {
    const std::size_t open = std::min(text.find('(', at), text.size());
    return past(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  const bool separates_digits = rest[0] == '\'' && at > 0 && in_name(text[at - 1]);
  if ((rest[0] != '"' && rest[0] != '\'') || separates_digits) return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != rest[0]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

bool on_include_line(std::string_view text, std::size_t at) {
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  std::string line(text.substr(start, at - start));
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  return line == "#include";
}

}  // namespace

std::vector<SourceFile> read_sources(const fs::path& root) {
  std::vector<SourceFile> files;
  for (const char* top : {"include", "src"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files.push_back({entry.path().lexically_relative(root).generic_string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string code_only(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_blank(text, at);
    const bool kept = text[at] == '"' && on_include_line(text, at);
    for (std::size_t i = at; i < end && !kept; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

std::vector<Include> includes_of(std::string_view code) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]*)[>"])");
  std::vector<Include> includes;
  std::istringstream lines{std::string(code)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back({number, match[1]});
  }
  return includes;
}

namespace {

/// The name after `keyword` where a line that opens a brace starts with it, else "".
std::string_view name_opened(std::string_view line, std::string_view keyword) {
  const bool opens = line.starts_with(keyword) && line.find('{') != std::string_view::npos;
  if (!opens) return {};
  const std::string_view rest = line.substr(keyword.size());
  return rest.substr(0, rest.find_first_of(" {"));
}

}  // namespace

std::vector<TypeDefinition> types_defined_in(std::string_view code) {
  std::vector<TypeDefinition> types;
  std::istringstream lines{std::string(code)};
  std::string line;
  std::string space;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (const std::string_view name = name_opened(line, "namespace "); !name.empty()) space = name;
    for (const std::string_view keyword : {"class ", "struct ", "enum class "}) {
      const std::string_view name = name_opened(line, keyword);
      if (!name.empty()) types.push_back({number, (space + "::").append(name)});
    }
  }
  return types;
}

std::vector<int> lines_naming(std::string_view code, std::string_view name) {
  std::vector<int> lines;
  for (std::size_t at = code.find(name); at != std::string_view::npos;
       at = code.find(name, at + 1)) {
    const bool starts = at == 0 || !in_name(code[at - 1]);
    const bool ends = at + name.size() == code.size() || !in_name(code[at + name.size()]);
    if (starts && ends) lines.push_back(line_at(code, at));
  }
  return lines;
}
