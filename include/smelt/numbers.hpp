#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "smelt/count.hpp"
#include "smelt/rational.hpp"

namespace smelt {

/// Reads a number as people write it, exactly: "1_000", "0.25", "1e9", "32k", "1.5B", "2T" (k, M, B
/// or G, T are 10^3, 10^6, 10^9, 10^12). No infinities, no hexadecimal.
/// Throws InputError, with `where` as its place, when the text is no number or passes 64 bits.
Rational parse_number(std::string_view text, std::string_view where);

/// parse_number, then a whole number within [lowest, highest].
std::int64_t parse_count(std::string_view text, std::string_view where, std::int64_t lowest = 0,
                         std::int64_t highest = 9'000'000'000'000'000'000);

/// The same forms as the nearest double, for what passes 64 bits: training FLOPs ("1e21",
/// "3.2e22"), measured losses ("2.7182818284590452"). Throws InputError when the text is no number
/// or passes 1e308.
double parse_real(std::string_view text, std::string_view where);

/// A fraction: "0.01" or "1%" (exactly 1/100), not negative.
Rational parse_fraction(std::string_view text, std::string_view where);

/// "3,870,301,440": groups of three digits.
std::string with_separators(Count count);

/// Three significant digits and a unit: "3.87 B", "392", "12.5 k". Units k, M, B, T, then a power.
std::string with_unit(double value);

/// A signed deviation as a percentage: "+2.88 %"; `digits` after the point.
std::string signed_percent(double fraction, int digits = 2);

/// A fraction as an unsigned percentage without a blank: "94.6".
std::string percent(double fraction, int digits = 1);

/// The shortest decimal text that reads back as the same double ("0.04", "1e+30").
std::string shortest(double value);

/// An exact value as text: "392", "448.125", or "1/3" where no short decimal exists.
std::string to_string(const Rational& value);

}  // namespace smelt
