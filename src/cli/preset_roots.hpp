#pragma once

#include <filesystem>
#include <vector>

namespace smelt::cli {

/// Where presets are looked for, in order: the directories of SMELT_PRESETS (joined by ':'), then
/// ../share/smelt/presets beside the program's own directory.
std::vector<std::filesystem::path> preset_roots();

}  // namespace smelt::cli
