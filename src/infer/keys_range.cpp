#include "infer/keys_range.hpp"

namespace smelt {

KeysRange where_not_above(const KeysLine& left, const KeysLine& right, const KeysRange& range) {
  const KeysLine gap = {checked_difference(right.a, left.a), checked_difference(right.b, left.b)};
  const bool at_lowest = value_at(gap, range.lowest) >= 0;
  const bool at_highest = value_at(gap, range.highest) >= 0;
  if (at_lowest && at_highest) return range;
  if (!at_lowest && !at_highest) return {1, 0};
  // The gap changes sign within the range, so the quotients lie there too.
  if (at_highest) return {ceil_div(-gap.a, gap.b), range.highest};
  return {range.lowest, floor_div(gap.a, -gap.b)};
}

}  // namespace smelt
