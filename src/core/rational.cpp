#include "smelt/rational.hpp"

#include <cassert>
#include <limits>
#include <numeric>

namespace smelt {
namespace {

bool fits(Int128 value) {
  return value <= std::numeric_limits<std::int64_t>::max() &&
         value > std::numeric_limits<std::int64_t>::min();
}

Int128 gcd(Int128 a, Int128 b) {
  while (b != 0) {
    if (fits(a) && fits(b)) {
      return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    }
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

std::int64_t narrow(Int128 value) {
  if (value > std::numeric_limits<std::int64_t>::max() ||
      value < std::numeric_limits<std::int64_t>::min()) {
    throw CountOverflow();
  }
  return static_cast<std::int64_t>(value);
}

/// num / den with den != 0, in lowest terms.
Rational reduced(Int128 num, Int128 den) {
  assert(den != 0);
  const Int128 divisor = den < 0 ? -gcd(num, den) : gcd(num, den);
  return Rational(narrow(num / divisor), narrow(den / divisor));
}

}  // namespace

Rational::Rational(std::int64_t num, std::int64_t den) {
  assert(den != 0);
  const Int128 divisor = den < 0 ? -gcd(num, den) : gcd(num, den);
  num_ = narrow(Int128{num} / divisor);
  den_ = narrow(Int128{den} / divisor);
}

double Rational::to_double() const { return static_cast<double>(num_) / static_cast<double>(den_); }

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  return Int128{a.num_} * b.den_ <=> Int128{b.num_} * a.den_;
}

Rational operator+(const Rational& a, const Rational& b) {
  const Int128 left = Int128{a.num_} * b.den_;
  const Int128 right = Int128{b.num_} * a.den_;
  Int128 sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) throw CountOverflow();
  return reduced(sum, Int128{a.den_} * b.den_);
}

Rational operator-(const Rational& a, const Rational& b) { return a + b * Rational(-1); }

Rational operator*(const Rational& a, const Rational& b) {
  return reduced(Int128{a.num_} * b.num_, Int128{a.den_} * b.den_);
}

Rational operator/(const Rational& a, const Rational& b) {
  return reduced(Int128{a.num_} * b.den_, Int128{a.den_} * b.num_);
}

std::int64_t floor_div(Int128 num, Int128 den) {
  assert(den > 0);
  const Int128 quotient = num / den;
  return narrow(num % den < 0 ? quotient - 1 : quotient);
}

std::int64_t ceil_div(Int128 num, Int128 den) {
  assert(den > 0);
  const Int128 quotient = num / den;
  return narrow(num % den > 0 ? quotient + 1 : quotient);
}

Count round_product(Count value, const Rational& factor) {
  const Int128 doubled = Int128{value.value()} * factor.num() * 2;
  return floor_div(doubled + factor.den(), Int128{factor.den()} * 2);
}

}  // namespace smelt
