#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace smelt {

/// The 64-bit FNV-1a hash (RFC 9923) of a text in 16 hexadecimal digits: tells apart texts that
/// differ by accident, not by intent.
std::string fnv1a_64(std::string_view text);

}  // namespace smelt
