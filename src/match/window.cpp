#include "match/window.hpp"

#include <algorithm>
#include <limits>

namespace smelt {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// |c - b| <= t b, that is b (1 - t) <= c <= b (1 + t), for t = num / den.
Window window_within(const Rational& tolerance, Count baseline) {
  const Int128 base = Int128{baseline.value()} * tolerance.den();
  const Int128 slack = Int128{baseline.value()} * tolerance.num();
  const Int128 most = Int128{kUnbounded} * tolerance.den();
  return {slack > base ? 0 : ceil_div(base - slack, tolerance.den()),
          floor_div(std::min(base + slack, most), tolerance.den())};
}

}  // namespace

Windows windows_within(const Tolerance& tolerance, const Budget& baseline) {
  return {window_within(tolerance.flops, baseline.training_flops_per_token),
          window_within(tolerance.params, baseline.non_embedding_params),
          window_within(tolerance.kv, baseline.kv_elements_per_token)};
}

Window solve_linear(Int128 base, Int128 slope, const Window& window) {
  constexpr Window kNone = {1, 0};
  if (window.highest < base) return kNone;
  if (slope == 0) return window.lowest <= base ? Window{0, kUnbounded} : kNone;
  const auto clipped = [](Int128 value) { return std::clamp<Int128>(value, 0, kUnbounded); };
  return {ceil_div(clipped(window.lowest - base), slope),
          floor_div(clipped(window.highest - base), slope)};
}

Window intersection(const Window& a, const Window& b) {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

}  // namespace smelt
