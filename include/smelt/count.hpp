#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace smelt {

/// A count passed the range of a signed 64-bit integer (about 9.2e18).
struct CountOverflow : std::overflow_error {
  CountOverflow() : std::overflow_error("a count passes 9.2e18, the largest 64-bit integer") {}
};

/// An exact count (parameters, FLOPs, elements): int64 arithmetic that throws CountOverflow instead
/// of wrapping. Converts from and to int64 freely, so formulas read as they are written on paper.
class Count {
 public:
  constexpr Count() = default;
  constexpr Count(std::int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  [[nodiscard]] constexpr double to_double() const { return static_cast<double>(value_); }

  constexpr Count& operator+=(Count other) { return *this = *this + other; }
  constexpr Count& operator-=(Count other) { return *this = *this - other; }
  constexpr Count& operator*=(Count other) { return *this = *this * other; }

  friend constexpr Count operator+(Count a, Count b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.value_, b.value_, &sum)) throw CountOverflow();
    return sum;
  }
  friend constexpr Count operator-(Count a, Count b) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a.value_, b.value_, &difference)) throw CountOverflow();
    return difference;
  }
  friend constexpr Count operator*(Count a, Count b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a.value_, b.value_, &product)) throw CountOverflow();
    return product;
  }
  friend constexpr auto operator<=>(Count, Count) = default;  // NOLINT(modernize-use-nullptr)

 private:
  std::int64_t value_ = 0;
};

}  // namespace smelt
