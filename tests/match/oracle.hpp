#pragma once

// A brute-force twin of the solver: its own formulas, every grid point walked, fractions compared
// by cross products in 128 bits (problems are small, so nothing overflows). It shares only the
// plain structs of the public headers with the code under test.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "smelt/match.hpp"

namespace smelt::testing {

__extension__ using Wide = __int128;

struct Fraction {
  Wide num = 0;
  Wide den = 1;
};
inline int compare(const Fraction& a, const Fraction& b) {
  const Wide left = a.num * b.den;
  const Wide right = b.num * a.den;
  return left < right ? -1 : left > right ? 1 : 0;
}

/// The free sizes of a design.
struct Shape {
  std::int64_t h, e, f, q, g, d;
};

class Oracle {
 public:
  explicit Oracle(const MatchProblem& problem) : problem_(problem) {
    const Model& b = problem.baseline;
    const Layer& layer = b.layers.front();
    ffn0_ = layer.ffn.num_experts > 0 ? layer.ffn.expert_width : layer.ffn.dense_width;
    const auto& heads = std::get<GroupedQueryAttention>(layer.attention);
    const Shape own = {b.hidden_size,   layer.ffn.num_experts,     ffn0_,
                       heads.num_heads, heads.num_key_value_heads, heads.head_dim};
    executed0_ = 0;
    for (const Layer& each : b.layers) executed0_ += each.visits;
    chosen_ = layer.ffn.num_experts_per_tok;
    base_ = count(own, std::ssize(b.layers), executed0_);
    chosen_ = problem.num_experts_per_tok.value_or(chosen_);
    executed_ = problem.num_layers;
    if (problem.loop) executed_ += problem.loop->length * (problem.loop->visits - 1);
  }

  struct Point {
    Shape shape;
    std::int64_t budget[3];
  };

  std::int64_t grid_points = 0;
  std::vector<Point> feasible;

  /// Walks the whole grid; `feasible` is then sorted, best first.
  void run() {
    const Rules& rules = problem_.rules;
    const Layer& layer = problem_.baseline.layers.front();
    const auto& heads = std::get<GroupedQueryAttention>(layer.attention);
    const auto experts = layer.ffn.num_experts == 0
                             ? std::vector<std::int64_t>{0}
                             : values(rules.num_experts, chosen_, layer.ffn.num_experts);
    for (const std::int64_t h : values(rules.hidden_size, 1, problem_.baseline.hidden_size)) {
      for (const std::int64_t d : values(rules.head_dim, heads.head_dim, heads.head_dim)) {
        for (const std::int64_t g : values(rules.num_key_value_heads, heads.num_key_value_heads,
                                           heads.num_key_value_heads)) {
          for (std::int64_t q = g; q * d <= 10 * h; q += g) {
            if (!query_width_allowed(h, q * d)) continue;
            for (const std::int64_t f : values(rules.moe_intermediate_size, 1, 100000)) {
              if (!shape_allowed(h, f)) continue;
              for (const std::int64_t e : experts) visit({h, e, f, q, g, d});
            }
          }
        }
      }
    }
    std::sort(feasible.begin(), feasible.end(),
              [&](const Point& a, const Point& b) { return better(a, b); });
  }

  [[nodiscard]] const std::int64_t* baseline() const { return base_.budget; }

  [[nodiscard]] bool better(const Point& a, const Point& b) const {
    if (problem_.objective != Objective::kSum) {
      const bool scaled = problem_.objective == Objective::kScaled;
      const int order = compare(largest(a, scaled), largest(b, scaled));
      if (order != 0) return order < 0;
    }
    const Wide sa = sum_numerator(a);
    const Wide sb = sum_numerator(b);
    if (sa != sb) return sa < sb;
    const auto ratio_gap = [&](const Shape& g) {
      const std::int64_t gap = g.f * problem_.baseline.hidden_size - ffn0_ * g.h;
      return Fraction{std::abs(gap), g.h};
    };
    if (const int order = compare(ratio_gap(a.shape), ratio_gap(b.shape)); order != 0) {
      return order < 0;
    }
    const Shape& x = a.shape;
    const Shape& y = b.shape;
    if (x.h != y.h) return x.h > y.h;
    if (x.e != y.e) return x.e < y.e;
    if (x.f != y.f) {
      return x.f < y.f;
    }
    if (x.d != y.d) return x.d > y.d;
    if (x.g != y.g) {
      return x.g < y.g;
    }
    return x.q < y.q;
  }

 private:
  static std::vector<std::int64_t> values(const Axis& axis, std::int64_t low, std::int64_t high) {
    if (!axis.values.empty()) return axis.values;
    std::vector<std::int64_t> list;
    for (std::int64_t v = axis.lowest.value_or(low); v <= axis.highest.value_or(high); ++v) {
      if (v % axis.multiple_of == 0) list.push_back(v);
    }
    return list;
  }

  Point count(const Shape& g, std::int64_t stored, std::int64_t executed) const {
    const Layer& layer = problem_.baseline.layers.front();
    const std::int64_t h = g.h;
    const std::int64_t q = g.q * g.d;
    const std::int64_t w = g.g * g.d;
    const std::int64_t matrix = layer.ffn.matrices * h * g.f;
    // the shared width keeps its proportion to F: nearest whole number, halves up, at least 1
    const std::int64_t shared_width =
        std::max<std::int64_t>(1, (2 * layer.ffn.shared_expert_width * g.f + ffn0_) / (2 * ffn0_));
    const std::int64_t shared =
        layer.ffn.num_shared_experts * layer.ffn.matrices * h * shared_width;
    const std::int64_t rest = 2 * h * q + 2 * h * w + h * g.e + shared + 2 * h;
    const bool dense = layer.ffn.num_experts == 0;
    const std::int64_t all = rest + matrix * (dense ? 1 : g.e);
    const std::int64_t active = rest + matrix * (dense ? 1 : chosen_);
    const Rational n = *problem_.baseline.attended_keys;
    return {g,
            {6 * (active * executed + h) + 12 * q * executed * n.num() / n.den(), all * stored + h,
             2 * w * executed}};
  }

  [[nodiscard]] bool query_width_allowed(std::int64_t h, std::int64_t width) const {
    if (problem_.rules.query_width_is_hidden) return width == h;
    const auto& heads = std::get<GroupedQueryAttention>(problem_.baseline.layers.front().attention);
    const Wide ratio_num = Wide{width} * problem_.baseline.hidden_size;
    const Wide ratio_den = Wide{h} * heads.num_heads * heads.head_dim;
    const Rational low = problem_.rules.query_ratio.lowest.value_or(0);
    const Rational high = problem_.rules.query_ratio.highest.value_or(2);
    return ratio_num * low.den() >= ratio_den * low.num() &&
           ratio_num * high.den() <= ratio_den * high.num();
  }

  [[nodiscard]] bool shape_allowed(std::int64_t h, std::int64_t f) const {
    const Wide ratio_num = Wide{f} * problem_.baseline.hidden_size;
    const Wide ratio_den = Wide{h} * ffn0_;
    const auto& low = problem_.rules.ffn_ratio.lowest;
    const auto& high = problem_.rules.ffn_ratio.highest;
    if (low && ratio_num * low->den() < ratio_den * low->num()) return false;
    return !high || ratio_num * high->den() <= ratio_den * high->num();
  }

  void visit(const Shape& g) {
    ++grid_points;
    Point point = count(g, problem_.num_layers, executed_);
    const Rational tolerances[3] = {problem_.rules.tolerance.flops, problem_.rules.tolerance.params,
                                    problem_.rules.tolerance.kv};
    for (int i = 0; i < 3; ++i) {
      if (Wide{std::abs(point.budget[i] - base_.budget[i])} * tolerances[i].den() >
          Wide{base_.budget[i]} * tolerances[i].num()) {
        return;
      }
    }
    feasible.push_back(point);
  }

  [[nodiscard]] Fraction deviation(const Point& p, int i, bool scaled) const {
    const Rational tolerances[3] = {problem_.rules.tolerance.flops, problem_.rules.tolerance.params,
                                    problem_.rules.tolerance.kv};
    Fraction x{std::abs(p.budget[i] - base_.budget[i]), base_.budget[i]};
    if (scaled) {
      x.num *= tolerances[i].den();
      x.den *= tolerances[i].num();
    }
    return x;
  }

  [[nodiscard]] Fraction largest(const Point& p, bool scaled) const {
    Fraction most = deviation(p, 0, scaled);
    for (int i = 1; i < 3; ++i) {
      const Fraction next = deviation(p, i, scaled);
      if (compare(next, most) > 0) most = next;
    }
    return most;
  }

  [[nodiscard]] Wide sum_numerator(const Point& p) const {
    Wide sum = 0;
    for (int i = 0; i < 3; ++i) {
      sum += Wide{std::abs(p.budget[i] - base_.budget[i])} * base_.budget[(i + 1) % 3] *
             base_.budget[(i + 2) % 3];
    }
    return sum;
  }

  const MatchProblem& problem_;
  std::int64_t ffn0_ = 0;
  std::int64_t executed0_ = 0;
  std::int64_t executed_ = 0;
  std::int64_t chosen_ = 0;  // experts per token of what is counted
  Point base_{};
};

}  // namespace smelt::testing
