#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "smelt/error.hpp"

namespace smelt {

/// The texts of an enumeration's values, for printing and for reading them.
template <typename Enum, std::size_t Size>
struct EnumNames {
  std::array<std::pair<Enum, std::string_view>, Size> entries;

  [[nodiscard]] constexpr std::string_view of(Enum value) const {
    for (const auto& [entry, name] : entries) {
      if (entry == value) return name;
    }
    assert(false && "every value has a name");
    return {};
  }

  /// Throws InputError at `where` that lists the texts: "unknown `what` 'TEXT' (one of ...)".
  [[nodiscard]] Enum parse(std::string_view text, std::string_view what,
                           std::string_view where) const {
    std::string known;
    for (const auto& [entry, name] : entries) {
      if (name == text) return entry;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw InputError(std::string(where),
                     "unknown " + std::string(what) + " '" + std::string(text) + "'",
                     "one of " + known);
  }
};

}  // namespace smelt
