#include "match/wide.hpp"

namespace smelt {

__extension__ using UInt128 = unsigned __int128;

Int256::Int256(std::int64_t value) {
  limbs_.fill(value < 0 ? ~std::uint64_t{0} : 0);
  limbs_[0] = static_cast<std::uint64_t>(value);
}

void Int256::negate() {
  bool carry = true;
  for (std::uint64_t& limb : limbs_) {
    limb = ~limb + (carry ? 1 : 0);
    carry = carry && limb == 0;
  }
}

Int256& Int256::operator*=(std::int64_t factor) {
  const bool negative = (sign() < 0) != (factor < 0);
  if (sign() < 0) negate();
  const std::uint64_t magnitude =
      factor < 0 ? ~static_cast<std::uint64_t>(factor) + 1 : static_cast<std::uint64_t>(factor);
  std::uint64_t carry = 0;
  for (std::uint64_t& limb : limbs_) {
    const UInt128 product = UInt128{limb} * magnitude + carry;
    limb = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
  }
  if (negative) negate();
  return *this;
}

Int256& Int256::operator+=(const Int256& other) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const UInt128 sum = UInt128{limbs_[i]} + other.limbs_[i] + carry;
    limbs_[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  return *this;
}

int Int256::sign() const {
  if (static_cast<std::int64_t>(limbs_[3]) < 0) return -1;
  for (const std::uint64_t limb : limbs_) {
    if (limb != 0) return 1;
  }
  return 0;
}

Int256 wide_product(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  Int256 product(a);
  product *= b;
  product *= c;
  product *= d;
  return product;
}

}  // namespace smelt
