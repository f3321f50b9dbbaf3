#include "smelt/checksum.hpp"

#include <fmt/format.h>

namespace smelt {

std::string fnv1a_64(std::string_view text) {
  constexpr std::uint64_t kOffsetBasis = 0xCBF29CE484222325;
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t hash = kOffsetBasis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}", hash);
}

}  // namespace smelt
