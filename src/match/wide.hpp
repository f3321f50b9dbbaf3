#pragma once

#include <array>
#include <cstdint>

namespace smelt {

/// A 256-bit two's complement integer with just what exact comparisons of fractions need: products
/// of up to four int64 and sums of three of those never overflow.
class Int256 {
 public:
  explicit Int256(std::int64_t value);

  Int256& operator*=(std::int64_t factor);
  Int256& operator+=(const Int256& other);
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;

 private:
  void negate();

  std::array<std::uint64_t, 4> limbs_{};  // least significant first
};

/// a x b x c x d, exactly.
Int256 wide_product(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d = 1);

}  // namespace smelt
