#pragma once

#include <compare>
#include <cstdint>

#include "smelt/count.hpp"

namespace smelt {

__extension__ using Int128 = __int128;

/// An exact fraction in lowest terms with a positive denominator: tolerances, mean attended keys,
/// shape ratios. Comparisons are exact.
class Rational {
 public:
  constexpr Rational() = default;
  constexpr Rational(std::int64_t value) : num_(value) {}  // NOLINT(google-explicit-constructor)
  /// num / den; den must not be zero (an assertion).
  Rational(std::int64_t num, std::int64_t den);

  [[nodiscard]] std::int64_t num() const { return num_; }
  [[nodiscard]] std::int64_t den() const { return den_; }
  [[nodiscard]] bool is_integer() const { return den_ == 1; }
  [[nodiscard]] double to_double() const;

  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

  /// Exact in lowest terms; throw CountOverflow when that does not fit.
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);

 private:
  std::int64_t num_ = 0;
  std::int64_t den_ = 1;
};

/// floor(num / den) and ceil(num / den) for den > 0 and any sign of num.
std::int64_t floor_div(Int128 num, Int128 den);
std::int64_t ceil_div(Int128 num, Int128 den);

/// value x factor rounded to the nearest integer, halves up; throws CountOverflow.
Count round_product(Count value, const Rational& factor);

}  // namespace smelt
