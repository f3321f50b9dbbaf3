#include <algorithm>
#include <array>
#include <cstdint>

#include "smelt/table.hpp"

namespace smelt {
namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Combining marks and zero-width signs (Unicode general categories Mn, Me, Cf), the common blocks.
constexpr std::array<CodeRange, 8> kZeroWidth = {{{0x0300, 0x036F},
                                                  {0x0483, 0x0489},
                                                  {0x0591, 0x05BD},
                                                  {0x200B, 0x200F},
                                                  {0x20D0, 0x20F0},
                                                  {0xFE00, 0xFE0F},
                                                  {0xFE20, 0xFE2F},
                                                  {0xFEFF, 0xFEFF}}};
// Wide and fullwidth signs (Unicode annex 11, East Asian Width W and F), the common blocks.
constexpr std::array<CodeRange, 8> kWide = {{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFF00, 0xFF60},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool in_any(const std::array<CodeRange, N>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The code point that starts at `at`; moves `at` past it. A stray byte counts as itself.
std::uint32_t next_code(std::string_view utf8, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(utf8[at++]);
  const std::uint32_t payload = lead >= 0xF0   ? lead & 0x07U
                                : lead >= 0xE0 ? lead & 0x0FU
                                : lead >= 0xC0 ? lead & 0x1FU
                                               : lead;
  std::uint32_t code = payload;
  for (; lead >= 0xC0 && at < utf8.size() && is_continuation(utf8[at]); ++at) {
    code = (code << 6U) | (static_cast<unsigned char>(utf8[at]) & 0x3FU);
  }
  return code;
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::uint32_t code = next_code(utf8, at);
    width += in_any(kZeroWidth, code) ? 0 : in_any(kWide, code) ? 2 : 1;
  }
  return width;
}

}  // namespace smelt
