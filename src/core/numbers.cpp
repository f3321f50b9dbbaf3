#include "smelt/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "smelt/error.hpp"

namespace smelt {
namespace {

constexpr int kMostDigits = 36;    // read before trailing zeros go: what always fits an Int128
constexpr int kMostExponent = 18;  // 10^18 is the largest power of ten in an int64

int unit_exponent(char unit) {
  switch (unit) {
    case 'k':
    case 'K':
      return 3;
    case 'M':
      return 6;
    case 'B':
    case 'G':
      return 9;
    case 'T':
      return 12;
    default:
      return 0;
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void not_a_number(std::string_view text, std::string_view where) {
  const std::string shown(text.size() > 40 ? text.substr(0, 40) : text);
  throw InputError(std::string(where), fmt::format("'{}' is not a number", shown),
                   "write 1000, 1_000, 1e3, 1k or 0.5");
}

[[noreturn]] void out_of_range(std::string_view text, std::string_view where) {
  const std::string shown(text.size() > 40 ? text.substr(0, 40) : text);
  throw InputError(std::string(where), fmt::format("{} is out of range", shown),
                   "at most 18 digits, and below 9.2e18");
}

/// The parts of a decimal number: (negative ? - : +) mantissa x 10^exponent.
struct Decimal {
  Int128 mantissa = 0;
  int exponent = 0;
  bool negative = false;
};

/// A cursor over the text of one number.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Decimal decimal() {
    Decimal result;
    result.negative = take('-');
    if (!result.negative) take('+');
    bool any = digits(result, false);
    if (take('.')) any = digits(result, true) || any;
    if (!any) not_a_number(text_, where_);
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      result.exponent += exponent();
    }
    if (at_ + 1 == text_.size()) {
      const int unit = unit_exponent(text_[at_]);
      if (unit != 0) ++at_;
      result.exponent += unit;
    }
    if (at_ != text_.size()) not_a_number(text_, where_);
    return result;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// Digits with single underscores between them.
  bool digits(Decimal& into, bool fraction) {
    bool any = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool between = any && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
      if (c == '_' && between && text_[at_ - 1] != '_') continue;
      if (!is_digit(c)) break;
      any = true;
      into.mantissa = into.mantissa * 10 + (c - '0');
      if (into.mantissa != 0 && ++used_ > kMostDigits) out_of_range(text_, where_);
      if (fraction) --into.exponent;
    }
    return any;
  }

  int exponent() {
    const bool negative = take('-');
    if (!negative) take('+');
    int value = 0;
    bool any = false;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_, any = true) {
      value = value * 10 + (text_[at_] - '0');
      if (value > 400) out_of_range(text_, where_);
    }
    if (!any) not_a_number(text_, where_);
    return negative ? -value : value;
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
  int used_ = 0;
};

Rational to_rational(Decimal decimal, std::string_view text, std::string_view where) {
  if (decimal.mantissa == 0) return 0;
  for (; decimal.mantissa % 10 == 0; decimal.mantissa /= 10) ++decimal.exponent;
  const bool fits = decimal.mantissa <= std::numeric_limits<std::int64_t>::max() &&
                    std::abs(decimal.exponent) <= kMostExponent;
  if (!fits) out_of_range(text, where);
  std::int64_t power = 1;
  for (int i = 0; i < std::abs(decimal.exponent); ++i) power *= 10;
  const auto magnitude = static_cast<std::int64_t>(decimal.mantissa);
  const std::int64_t mantissa = decimal.negative ? -magnitude : magnitude;
  if (decimal.exponent < 0) return {mantissa, power};
  try {
    return (Count(mantissa) * power).value();
  } catch (const CountOverflow&) {
    out_of_range(text, where);
  }
}

}  // namespace

double parse_real(std::string_view text, std::string_view where) {
  Decimal decimal = Scanner(text, where).decimal();
  std::string digits;
  for (; decimal.mantissa != 0; decimal.mantissa /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(decimal.mantissa % 10)));
  }
  if (digits.empty()) return 0;
  // Without a decimal point in it, strtod's result does not depend on the locale.
  const std::string plain = digits + 'e' + std::to_string(decimal.exponent);
  const double magnitude = std::strtod(plain.c_str(), nullptr);
  if (!std::isfinite(magnitude)) out_of_range(text, where);
  return decimal.negative ? -magnitude : magnitude;
}

Rational parse_number(std::string_view text, std::string_view where) {
  if (text.empty()) throw InputError(std::string(where), "is empty", "give a number");
  return to_rational(Scanner(text, where).decimal(), text, where);
}

std::int64_t parse_count(std::string_view text, std::string_view where, std::int64_t lowest,
                         std::int64_t highest) {
  const std::string range =
      fmt::format("a whole number from {} to {}", lowest, with_separators(highest));
  const Rational value = parse_number(text, where);
  if (!value.is_integer()) {
    throw InputError(std::string(where), fmt::format("{} is not a whole number", text), range);
  }
  if (value.num() < lowest || value.num() > highest) {
    throw InputError(std::string(where),
                     fmt::format("{} is too {}", text, value.num() < lowest ? "small" : "large"),
                     range);
  }
  return value.num();
}

Rational parse_fraction(std::string_view text, std::string_view where) {
  const bool percentage = !text.empty() && text.back() == '%';
  if (percentage) text.remove_suffix(1);
  const Rational value = parse_number(text, where);
  if (value < Rational(0)) {
    throw InputError(std::string(where), fmt::format("{} is negative", text), "0.01 or 1%");
  }
  if (!percentage) return value;
  try {
    return value * Rational(1, 100);
  } catch (const CountOverflow&) {
    out_of_range(text, where);
  }
}

std::string with_separators(Count count) {
  std::string digits = std::to_string(count.value());
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string with_unit(double value) {
  static constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " B", " T"};
  std::size_t unit = 0;
  double scaled = value;
  while (std::abs(scaled) >= 999.5 && unit + 1 < kUnits.size()) {
    scaled /= 1000;
    ++unit;
  }
  if (std::abs(scaled) >= 999.5) return fmt::format("{:.2e}", value);
  const bool whole = unit == 0 && scaled == std::floor(scaled);
  if (whole) return fmt::format("{:.0f}", scaled);
  const double size = std::abs(scaled);
  const int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", scaled, digits, kUnits[unit]);
}

std::string signed_percent(double fraction, int digits) {
  std::string text = fmt::format("{:+.{}f}", 100 * fraction, digits);
  if (text.find_first_not_of("+-0.") == std::string::npos) text[0] = fraction == 0 ? ' ' : text[0];
  return text + " %";
}

std::string percent(double fraction, int digits) {
  return fmt::format("{:.{}f}", 100 * fraction, digits);
}

std::string shortest(double value) { return fmt::format("{}", value); }

std::string to_string(const Rational& value) {
  if (value.is_integer()) return std::to_string(value.num());
  std::int64_t power = 1;
  for (int digits = 1; digits <= 9; ++digits) {
    power *= 10;
    if (power % value.den() == 0) return fmt::format("{}", value.to_double());
  }
  return fmt::format("{}/{}", value.num(), value.den());
}

}  // namespace smelt
