#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "smelt/rational.hpp"
#include "smelt/rules.hpp"

namespace smelt {

/// The largest value and the longest list of an axis.
inline constexpr std::int64_t kLargestAxisValue = 1'000'000'000;
inline constexpr std::size_t kLongestAxis = 100'000;

/// Puts the values of an axis in ascending order, once each. Throws InputError at `where` for an
/// axis without values: bounds the wrong way round, or no multiple between them.
Axis checked_axis(Axis axis, std::string_view where);

/// An axis in words: a value "512", a list "512,1024", or a range "LO..HI%STEP", the multiples of
/// STEP from LO to HI ("64..1280%8"). LO, HI and %STEP may each be left out ("64..", "..1280",
/// "..%8"). Throws InputError at `where`.
Axis parse_axis(std::string_view text, std::string_view where);

/// "flops=4%,params=1%,kv=4%": any of the three, the others as in `base`.
Tolerance parse_tolerance(std::string_view text, std::string_view where, Tolerance base);

/// Throws InputError at `where` when the bounds stand the wrong way round or the highest is 0.
void check_ratio_range(const RatioRange& range, std::string_view where);

/// "0.85..1.15", "0.85.." or "..1.15". Throws InputError at `where`.
RatioRange parse_ratio_range(std::string_view text, std::string_view where);

}  // namespace smelt
