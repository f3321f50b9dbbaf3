#pragma once

#include <filesystem>

#include "smelt/hardware.hpp"
#include "smelt/json_value.hpp"

namespace smelt {

/// Reads a device: "name", "description", "dense_peak_flops_per_s" (an object of element types),
/// "memory_bandwidth_bytes_per_s", "multiprocessors", "l2_bytes", "memory_bytes", "source".
/// Throws InputError with every mistake; all keys but name and description are required.
Hardware read_hardware(const JsonValue& json);

/// The same from a file; a device without a name takes the file's.
Hardware read_hardware_file(const std::filesystem::path& path);

/// The form that read_hardware reads.
JsonValue hardware_json(const Hardware& hardware);

}  // namespace smelt
