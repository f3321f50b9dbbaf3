#pragma once

#include <fmt/format.h>

#include <string>

#include "smelt/operators.hpp"
#include "smelt/table.hpp"

namespace smelt {

/// A pass in a few letters for people, in full for programs.
inline Cell pass_cell(Pass pass) {
  static constexpr const char* kShort[] = {"fwd", "bwd", "bwd in", "bwd wt"};
  return {kShort[static_cast<std::size_t>(pass)], std::string(pass_name(pass))};
}

/// A value of the raw form in fixed decimals for people.
inline Cell fixed_cell(double value, double scale, int digits, std::string raw) {
  return {fmt::format("{:.{}f}", value * scale, digits), std::move(raw)};
}

}  // namespace smelt
