#include "cli/preset_roots.hpp"

#include <cstdlib>
#include <string_view>

namespace smelt::cli {
namespace {

void append_listed(std::vector<std::filesystem::path>& roots, std::string_view list) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    if (!item.empty()) roots.emplace_back(item);
  }
}

}  // namespace

std::vector<std::filesystem::path> preset_roots() {
  std::vector<std::filesystem::path> roots;
  if (const char* const listed = std::getenv("SMELT_PRESETS")) append_listed(roots, listed);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) roots.push_back(program.parent_path().parent_path() / "share/smelt/presets");
  return roots;
}

}  // namespace smelt::cli
