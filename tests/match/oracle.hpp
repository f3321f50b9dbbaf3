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

class Oracle {
 public:
  explicit Oracle(const MatchProblem& problem) : problem_(problem) {
    const Model& b = problem.baseline;
    const Layer& layer = b.layers.front();
    ffn0_ = layer.ffn.num_experts > 0 ? layer.ffn.expert_width : layer.ffn.dense_width;
    const Geometry own = {b.hidden_size,
                          layer.ffn.num_experts,
                          ffn0_,
                          layer.attention.num_heads,
                          layer.attention.num_key_value_heads,
                          layer.attention.head_dim};
    executed0_ = 0;
    for (const Layer& each : b.layers) executed0_ += each.visits;
    base_ = count(own, std::ssize(b.layers), executed0_);
    executed_ = problem.num_layers;
    if (problem.loop) executed_ += problem.loop->length * (problem.loop->visits - 1);
  }

  struct Point {
    Geometry geometry;
    std::int64_t budget[3];
  };

  std::int64_t grid_points = 0;
  std::vector<Point> feasible;

  /// Walks the whole grid; `feasible` is then sorted, best first.
  void run() {
    const Rules& rules = problem_.rules;
    const Layer& layer = problem_.baseline.layers.front();
    const auto experts =
        layer.ffn.num_experts == 0
            ? std::vector<std::int64_t>{0}
            : values(rules.num_experts, layer.ffn.num_experts_per_tok, layer.ffn.num_experts);
    for (const std::int64_t h : values(rules.hidden_size, 1, problem_.baseline.hidden_size)) {
      for (const std::int64_t d :
           values(rules.head_dim, layer.attention.head_dim, layer.attention.head_dim)) {
        for (const std::int64_t g :
             values(rules.num_key_value_heads, layer.attention.num_key_value_heads,
                    layer.attention.num_key_value_heads)) {
          for (std::int64_t q = 1; q * d <= 2 * h; ++q) {
            if (q % g != 0 || (rules.query_width_is_hidden && q * d != h)) continue;
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

 private:
  static std::vector<std::int64_t> values(const Axis& axis, std::int64_t low, std::int64_t high) {
    if (!axis.values.empty()) return axis.values;
    std::vector<std::int64_t> list;
    for (std::int64_t v = axis.lowest.value_or(low); v <= axis.highest.value_or(high); ++v) {
      if (v % axis.multiple_of == 0) list.push_back(v);
    }
    return list;
  }

  Point count(const Geometry& g, std::int64_t stored, std::int64_t executed) const {
    const Layer& layer = problem_.baseline.layers.front();
    const std::int64_t h = g.hidden_size;
    const std::int64_t q = g.num_heads * g.head_dim;
    const std::int64_t w = g.num_key_value_heads * g.head_dim;
    const std::int64_t matrix = layer.ffn.matrices * h * g.moe_intermediate_size;
    const std::int64_t shared = layer.ffn.num_shared_experts * layer.ffn.matrices * h *
                                (layer.ffn.shared_expert_width * g.moe_intermediate_size / ffn0_);
    const std::int64_t rest = 2 * h * q + 2 * h * w + h * g.num_experts + shared + 2 * h;
    const bool dense = layer.ffn.num_experts == 0;
    const std::int64_t all = rest + matrix * (dense ? 1 : g.num_experts);
    const std::int64_t active = rest + matrix * (dense ? 1 : layer.ffn.num_experts_per_tok);
    const Rational n = *problem_.baseline.attended_keys;
    return {g,
            {6 * (active * executed + h) + 12 * q * executed * n.num() / n.den(), all * stored + h,
             2 * w * executed}};
  }

  [[nodiscard]] bool shape_allowed(std::int64_t h, std::int64_t f) const {
    const Wide ratio_num = Wide{f} * problem_.baseline.hidden_size;
    const Wide ratio_den = Wide{h} * ffn0_;
    const auto& low = problem_.rules.ffn_ratio_lowest;
    const auto& high = problem_.rules.ffn_ratio_highest;
    if (low && ratio_num * low->den() < ratio_den * low->num()) return false;
    return !high || ratio_num * high->den() <= ratio_den * high->num();
  }

  void visit(const Geometry& g) {
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

  [[nodiscard]] bool better(const Point& a, const Point& b) const {
    if (problem_.objective != Objective::kSum) {
      const bool scaled = problem_.objective == Objective::kScaled;
      const int order = compare(largest(a, scaled), largest(b, scaled));
      if (order != 0) return order < 0;
    }
    const Wide sa = sum_numerator(a);
    const Wide sb = sum_numerator(b);
    if (sa != sb) return sa < sb;
    const auto ratio_gap = [&](const Geometry& g) {
      const std::int64_t gap =
          g.moe_intermediate_size * problem_.baseline.hidden_size - ffn0_ * g.hidden_size;
      return Fraction{std::abs(gap), g.hidden_size};
    };
    if (const int order = compare(ratio_gap(a.geometry), ratio_gap(b.geometry)); order != 0) {
      return order < 0;
    }
    const Geometry& x = a.geometry;
    const Geometry& y = b.geometry;
    if (x.hidden_size != y.hidden_size) return x.hidden_size > y.hidden_size;
    if (x.num_experts != y.num_experts) return x.num_experts < y.num_experts;
    if (x.moe_intermediate_size != y.moe_intermediate_size) {
      return x.moe_intermediate_size < y.moe_intermediate_size;
    }
    if (x.head_dim != y.head_dim) return x.head_dim > y.head_dim;
    if (x.num_key_value_heads != y.num_key_value_heads) {
      return x.num_key_value_heads < y.num_key_value_heads;
    }
    return x.num_heads < y.num_heads;
  }

  const MatchProblem& problem_;
  std::int64_t ffn0_ = 0;
  std::int64_t executed0_ = 0;
  std::int64_t executed_ = 0;
  Point base_{};
};

}  // namespace smelt::testing
