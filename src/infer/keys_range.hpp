#pragma once

#include "infer/row_forms.hpp"
#include "smelt/count.hpp"
#include "smelt/infer.hpp"

namespace smelt {

/// a x b; throws CountOverflow.
inline Int128 checked_product(Int128 a, Int128 b) {
  Int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw CountOverflow();
  return product;
}

inline Int128 checked_difference(Int128 a, Int128 b) {
  Int128 difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) throw CountOverflow();
  return difference;
}

inline KeysLine operator*(const KeysLine& line, Int128 factor) {
  return {checked_product(line.a, factor), checked_product(line.b, factor)};
}

/// a + b n at n keys.
inline Int128 value_at(const KeysLine& line, std::int64_t keys) {
  return checked_difference(line.a, checked_product(-line.b, keys));
}

inline KeysRange intersection(const KeysRange& a, const KeysRange& b) {
  return {a.lowest > b.lowest ? a.lowest : b.lowest, a.highest < b.highest ? a.highest : b.highest};
}

/// The part of the range, not empty, where `right` is at least `left`.
KeysRange where_not_above(const KeysLine& left, const KeysLine& right, const KeysRange& range);

}  // namespace smelt
