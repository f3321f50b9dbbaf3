#pragma once

#include <string_view>

namespace smelt {

/// The library's version, "MAJOR.MINOR.PATCH".
std::string_view version();

}  // namespace smelt
