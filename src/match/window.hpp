#pragma once

#include <cstdint>

#include "smelt/budget.hpp"
#include "smelt/rational.hpp"
#include "smelt/rules.hpp"

namespace smelt {

/// Inclusive bounds of a whole number; empty when `lowest` is above `highest`.
struct Window {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;

  [[nodiscard]] bool contains(Int128 value) const { return lowest <= value && value <= highest; }
};

/// Bounds of the three budgets.
struct Windows {
  Window flops;
  Window params;
  Window kv;
};

/// The counts whose deviation from `baseline` is at most the tolerance, exactly.
Windows windows_within(const Tolerance& tolerance, const Budget& baseline);

/// Integers x >= 0 with window.lowest <= base + slope x <= window.highest, for slope >= 0.
Window solve_linear(Int128 base, Int128 slope, const Window& window);

Window intersection(const Window& a, const Window& b);

}  // namespace smelt
