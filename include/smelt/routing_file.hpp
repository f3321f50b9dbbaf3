#pragma once

#include <filesystem>
#include <vector>

#include "smelt/json_value.hpp"

namespace smelt {

/// Reads the loads of a router's experts as a JSON array of numbers, in any unit and order.
/// Throws InputError at the item that is no number.
std::vector<double> read_expert_loads(const JsonValue& json);

/// The same from a file, which errors name.
std::vector<double> read_expert_loads_file(const std::filesystem::path& path);

}  // namespace smelt
