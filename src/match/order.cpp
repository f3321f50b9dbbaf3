#include "match/order.hpp"

#include <cstdlib>
#include <tuple>

#include "match/wide.hpp"

namespace smelt {
namespace {

int sign_of_difference(const Int256& a, Int256 b) {
  b *= -1;
  b += a;
  return b.sign();
}

/// The order of two sums of a few products that doubles hold to a part in 10^12; 0 where they are
/// too close to tell.
int rough_order(double a, double b) {
  constexpr double kMargin = 1e-12;
  if (a < b * (1 - kMargin)) return -1;
  return b < a * (1 - kMargin) ? 1 : 0;
}

/// Order of what is left when objective, sum and F / H tie: larger H, smaller E, smaller F, larger
/// head size, fewer key-value heads, fewer query heads, larger latent rank.
auto last_resort(const Dimensions& d) {
  const HeadGeometry heads = d.heads.value_or(HeadGeometry{});
  const LatentRanks ranks = d.ranks.value_or(LatentRanks{});
  return std::make_tuple(-d.hidden_size, d.num_experts, d.ffn_width, -heads.head_dim,
                         heads.num_key_value_heads, heads.num_heads, -ranks.kv_lora_rank);
}

}  // namespace

Order::Order(Objective objective, const Budget& baseline, const Tolerance& tolerance,
             const Dimensions& reference)
    : objective_(objective),
      baselines_{baseline.training_flops_per_token.value(), baseline.non_embedding_params.value(),
                 baseline.kv_elements_per_token.value()},
      scales_{1, 1, 1},
      reference_hidden_(reference.hidden_size),
      reference_ffn_(reference.ffn_width) {
  if (objective == Objective::kScaled) {
    scales_ = {tolerance.flops, tolerance.params, tolerance.kv};
  }
  for (std::size_t i = 0; i < baselines_.size(); ++i) {
    per_baseline_[i] = 1 / static_cast<double>(baselines_[i]);
    per_scale_[i] = per_baseline_[i] / scales_[i].to_double();
  }
}

Order::Distances Order::distances(const Budget& budget) const {
  return {std::abs(budget.training_flops_per_token.value() - baselines_[0]),
          std::abs(budget.non_embedding_params.value() - baselines_[1]),
          std::abs(budget.kv_elements_per_token.value() - baselines_[2])};
}

/// max_i d_i / (b_i s_i) with s_i = num_i / den_i, that is d_i den_i / (b_i num_i): the largest of
/// each side, then one against the other, by cross products where doubles do not tell.
int Order::compare_scaled_max(const Distances& a, const Distances& b) const {
  const auto compare = [&](const Distances& x, std::size_t i, const Distances& y, std::size_t j) {
    if (i == j && x[i] == y[j]) return 0;
    const int rough = rough_order(static_cast<double>(x[i]) * per_scale_[i],
                                  static_cast<double>(y[j]) * per_scale_[j]);
    if (rough != 0) return rough;
    return sign_of_difference(
        wide_product(x[i], scales_[i].den(), baselines_[j], scales_[j].num()),
        wide_product(y[j], scales_[j].den(), baselines_[i], scales_[i].num()));
  };
  const auto largest = [&](const Distances& x) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (compare(x, i, x, at) > 0) at = i;
    }
    return at;
  };
  return compare(a, largest(a), b, largest(b));
}

/// Sign of sum_i (a_i - b_i) / baseline_i, over the common denominator of the three.
int Order::compare_sum(const Distances& a, const Distances& b) const {
  const auto roughly = [&](const Distances& x) {
    return static_cast<double>(x[0]) * per_baseline_[0] +
           static_cast<double>(x[1]) * per_baseline_[1] +
           static_cast<double>(x[2]) * per_baseline_[2];
  };
  if (const int rough = rough_order(roughly(a), roughly(b)); rough != 0) return rough;
  Int256 sum = wide_product(a[0] - b[0], baselines_[1], baselines_[2]);
  sum += wide_product(a[1] - b[1], baselines_[0], baselines_[2]);
  sum += wide_product(a[2] - b[2], baselines_[0], baselines_[1]);
  return sum.sign();
}

/// |F / H - F_0 / H_0| = |F H_0 - F_0 H| / (H H_0), smaller first.
int Order::compare_ffn_ratio(const Dimensions& a, const Dimensions& b) const {
  const auto distance = [&](const Dimensions& d) {
    const Int128 gap =
        Int128{d.ffn_width} * reference_hidden_ - Int128{reference_ffn_} * d.hidden_size;
    return gap < 0 ? -gap : gap;
  };
  const Int128 left = distance(a) * b.hidden_size;
  const Int128 right = distance(b) * a.hidden_size;
  return left < right ? -1 : left > right ? 1 : 0;
}

bool Order::operator()(const Candidate& a, const Candidate& b) const {
  const Distances da = distances(a.budget);
  const Distances db = distances(b.budget);
  if (objective_ != Objective::kSum) {
    if (const int order = compare_scaled_max(da, db); order != 0) return order < 0;
  }
  if (const int order = compare_sum(da, db); order != 0) return order < 0;
  if (const int order = compare_ffn_ratio(a.dimensions, b.dimensions); order != 0) return order < 0;
  return last_resort(a.dimensions) < last_resort(b.dimensions);
}

}  // namespace smelt
