#pragma once

#include <string>

#include "smelt/data_table.hpp"
#include "smelt/presets.hpp"

namespace smelt::cli {

/// A preset of runs, a CSV or JSON Lines file, or "-" for standard input.
DataTable read_data_argument(const std::string& argument, const Presets& presets);

}  // namespace smelt::cli
