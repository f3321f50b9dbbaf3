#include "match/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "smelt/error.hpp"

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

const Layer& prototype(const Model& baseline) { return baseline.layers.front(); }

std::int64_t ffn_width(const Ffn& ffn) {
  return ffn.num_experts > 0 ? ffn.expert_width : ffn.dense_width;
}

/// The smallest F step at which widths kept in proportion to F stay whole: each such width is
/// (w / F_0) F.
std::int64_t whole_width_unit(const Ffn& ffn) {
  const std::int64_t width = ffn_width(ffn);
  const std::int64_t shared = Rational(ffn.shared_expert_width, width).den();
  return std::lcm(shared, Rational(ffn.dense_width, width).den());
}

void check(const MatchProblem& problem) {
  validate(problem.baseline);
  if (!is_uniform(problem.baseline)) {
    throw InputError(problem.baseline.name, "its layers are of more than one kind",
                     "a Baseline whose layers are alike");
  }
  if (problem.num_layers < 1 || problem.num_layers > kMostLayers) {
    throw InputError("--layers", fmt::format("{} is out of range", problem.num_layers),
                     fmt::format("1 to {}", kMostLayers));
  }
  if (ffn_width(prototype(problem.baseline).ffn) < 1) {
    throw InputError(problem.baseline.name, "has neither routed experts nor a dense FFN",
                     "a Baseline with one of them");
  }
  if (problem.top < 1) throw InputError("--top", "is too small", "at least 1");
}

void check_axis(const AxisValues& values, std::int64_t lowest, const char* key) {
  if (values.size() == 0) throw InputError(key, "no value on this axis", "widen its bounds");
  if (values.at(0) < lowest) {
    throw InputError(key, fmt::format("{} is too small", values.at(0)),
                     fmt::format("at least {}", lowest));
  }
}

/// Multiples of `unit` within the axis.
Axis restricted_to_multiples(Axis axis, std::int64_t unit) {
  if (axis.values.empty()) {
    axis.multiple_of = std::lcm(axis.multiple_of, unit);
    return axis;
  }
  std::erase_if(axis.values, [&](std::int64_t value) { return value % unit != 0; });
  if (axis.values.empty()) axis.highest = 0;
  return axis;
}

AxisValues experts_axis(const MatchProblem& problem) {
  const Ffn& ffn = prototype(problem.baseline).ffn;
  if (ffn.num_experts == 0) return {Axis{}, 0, 0};
  return {problem.rules.num_experts, ffn.num_experts_per_tok, ffn.num_experts};
}

AxisValues around_baseline(const Axis& axis, std::int64_t value) { return {axis, value, value}; }

}  // namespace

Windows windows_within(const Tolerance& tolerance, const Budget& baseline) {
  return {window_within(tolerance.flops, baseline.training_flops_per_token),
          window_within(tolerance.params, baseline.non_embedding_params),
          window_within(tolerance.kv, baseline.kv_elements_per_token)};
}

Model build_model(const MatchProblem& problem, const Geometry& geometry) {
  Layer layer = prototype(problem.baseline);
  layer.visits = 1;
  layer.attention.num_heads = geometry.num_heads;
  layer.attention.num_key_value_heads = geometry.num_key_value_heads;
  layer.attention.head_dim = geometry.head_dim;
  Ffn& ffn = layer.ffn;
  const std::int64_t reference = ffn_width(ffn);
  const auto in_proportion = [&](std::int64_t width) {
    return (Rational(width, reference) * Rational(geometry.moe_intermediate_size)).num();
  };
  ffn.shared_expert_width = in_proportion(ffn.shared_expert_width);
  ffn.dense_width = in_proportion(ffn.dense_width);
  ffn.expert_width = in_proportion(ffn.expert_width);
  ffn.num_experts = geometry.num_experts;
  Model model = uniform_stack(geometry.hidden_size, problem.num_layers, layer, problem.loop);
  model.vocab_size = problem.baseline.vocab_size;
  model.tie_word_embeddings = problem.baseline.tie_word_embeddings;
  model.attended_keys = problem.baseline.attended_keys;
  return model;
}

Grid::Grid(const MatchProblem& problem)
    : problem_((check(problem), problem)),
      baseline_(budget_of(problem.baseline, problem.convention)),
      baseline_ffn_(ffn_width(prototype(problem.baseline).ffn)),
      ffn_unit_(whole_width_unit(prototype(problem.baseline).ffn)),
      hidden_(problem.rules.hidden_size, 1, problem.baseline.hidden_size),
      experts_(experts_axis(problem)),
      head_dim_(
          around_baseline(problem.rules.head_dim, prototype(problem.baseline).attention.head_dim)),
      kv_heads_(around_baseline(problem.rules.num_key_value_heads,
                                prototype(problem.baseline).attention.num_key_value_heads)) {
  const std::int64_t chosen = prototype(problem.baseline).ffn.num_experts_per_tok;
  check_axis(hidden_, 1, "hidden_size");
  check_axis(experts_, chosen, "num_experts");
  check_axis(head_dim_, 1, "head_dim");
  check_axis(kv_heads_, 1, "num_key_value_heads");
  kv_ = kv_geometries();
}

std::vector<Grid::KvGeometry> Grid::kv_geometries() const {
  std::vector<KvGeometry> list;
  Geometry at{problem_.baseline.hidden_size, experts_.at(0), ffn_unit_, 0, 0, 0};
  for (std::int64_t k = 0; k < kv_heads_.size(); ++k) {
    for (std::int64_t i = 0; i < head_dim_.size(); ++i) {
      at.num_heads = at.num_key_value_heads = kv_heads_.at(k);
      at.head_dim = head_dim_.at(i);
      const Count elements = kv_elements_per_token(build_model(problem_, at));
      list.push_back({at.num_key_value_heads, at.head_dim, elements});
    }
  }
  return list;
}

template <typename Visit>
void Grid::for_each_head_count(std::int64_t hidden, const KvGeometry& kv, Visit visit) const {
  if (problem_.rules.query_width_is_hidden) {
    const std::int64_t heads = hidden / kv.head_dim;
    if (heads * kv.head_dim == hidden && heads % kv.num_heads == 0) visit(heads);
    return;
  }
  for (std::int64_t heads = kv.num_heads; heads * kv.head_dim <= 2 * hidden;
       heads += kv.num_heads) {
    visit(heads);
  }
}

PlaneCost Grid::plane_cost(Geometry at) const {
  const auto costed = [&](std::int64_t experts, std::int64_t ffn) {
    at.num_experts = experts;
    at.moe_intermediate_size = ffn;
    return budget_of(build_model(problem_, at), problem_.convention);
  };
  const std::int64_t e = experts_.at(0);
  const std::int64_t f = ffn_unit_;
  const Budget low = costed(e, f);
  const Budget wider = costed(e, 2 * f);
  PlaneCost cost;
  cost.flops_f = (wider.training_flops_per_token - low.training_flops_per_token).value() / f;
  cost.params_f = (wider.non_embedding_params - low.non_embedding_params).value() / f;
  if (e > 0) {
    const Budget more = costed(e + 1, f);
    const Budget both = costed(e + 1, 2 * f);
    cost.flops_e = (more.training_flops_per_token - low.training_flops_per_token).value();
    const Count growth_low = more.non_embedding_params - low.non_embedding_params;
    const Count growth_wider = both.non_embedding_params - wider.non_embedding_params;
    cost.params_ef = (growth_wider - growth_low).value() / f;
    cost.params_e = (growth_low - Count(cost.params_ef) * f).value();
    cost.params_f -= cost.params_ef * e;
  }
  cost.flops_0 =
      (low.training_flops_per_token - Count(cost.flops_e) * e - Count(cost.flops_f) * f).value();
  cost.params_0 = (low.non_embedding_params - Count(cost.params_e) * e - Count(cost.params_f) * f -
                   Count(cost.params_ef) * e * f)
                      .value();
  return cost;
}

AxisValues Grid::ffn_values(std::int64_t hidden, std::int64_t most_flops) const {
  Axis axis = restricted_to_multiples(problem_.rules.moe_intermediate_size, ffn_unit_);
  const Window allowed = ffn_by_ratio(hidden);
  if (!axis.values.empty()) {
    std::erase_if(axis.values, [&](std::int64_t value) { return !allowed.contains(value); });
    if (axis.values.empty()) axis.highest = 0;
    return {axis, 1, 0};
  }
  axis.lowest = std::max(axis.lowest.value_or(1), allowed.lowest);
  if (!axis.highest) axis.highest = most_flops / flops_per_ffn(hidden);
  axis.highest = std::min(*axis.highest, allowed.highest);
  return {axis, 1, 0};
}

/// The FLOPs that one unit of F costs at a hidden size; the heads do not matter.
std::int64_t Grid::flops_per_ffn(std::int64_t hidden) const {
  const KvGeometry& kv = kv_.front();
  return plane_cost({hidden, 0, 0, kv.num_heads, kv.num_heads, kv.head_dim}).flops_f;
}

/// lowest ratio <= (F / H) / (F_0 / H_0) <= highest ratio, solved for F >= 1.
Window Grid::ffn_by_ratio(std::int64_t hidden) const {
  Window allowed = {1, kUnbounded};
  const Int128 base = Int128{baseline_ffn_} * hidden;
  const Int128 reference = problem_.baseline.hidden_size;
  if (const auto& ratio = problem_.rules.ffn_ratio_lowest) {
    allowed.lowest =
        std::max(allowed.lowest, ceil_div(base * ratio->num(), reference * ratio->den()));
  }
  if (const auto& ratio = problem_.rules.ffn_ratio_highest) {
    allowed.highest = floor_div(base * ratio->num(), reference * ratio->den());
  }
  return allowed;
}

namespace {

/// Integers x >= 0 with window.lowest <= base + slope x <= window.highest, for slope >= 0; empty
/// (lowest above highest) where there is none.
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

/// The F that the FLOPs leave whatever E of the axis is chosen.
Window ffn_window(const PlaneCost& cost, const AxisValues& experts, const Window& flops) {
  const std::int64_t fewest = experts.at(0);
  const std::int64_t most = experts.at(experts.size() - 1);
  return {solve_linear(cost.flops(most, 0), cost.flops_f, {flops.lowest, kUnbounded}).lowest,
          solve_linear(cost.flops(fewest, 0), cost.flops_f, {0, flops.highest}).highest};
}

/// The E that FLOPs and parameters leave at one F.
Window experts_window(const PlaneCost& cost, std::int64_t ffn, const Windows& windows) {
  return intersection(solve_linear(cost.flops(0, ffn), cost.flops_e, windows.flops),
                      solve_linear(cost.params(0, ffn),
                                   cost.params_e + Int128{cost.params_ef} * ffn, windows.params));
}

}  // namespace

Certificate Grid::visit_within(const Windows& windows, const Visitor& visit) const {
  Certificate tally;
  for (std::int64_t i = 0; i < hidden_.size(); ++i) {
    const std::int64_t hidden = hidden_.at(i);
    const AxisValues ffn = ffn_values(hidden, windows.flops.highest);
    const Count plane_points = Count(ffn.size()) * experts_.size();
    for (const KvGeometry& kv : kv_) {
      const bool kv_within = windows.kv.contains(kv.elements.value());
      for_each_head_count(hidden, kv, [&](std::int64_t heads) {
        tally.grid_points += plane_points;
        if (!kv_within) tally.excluded_by_kv += plane_points;
        if (!kv_within || plane_points == 0) return;
        const Geometry at{hidden, 0, 0, heads, kv.num_heads, kv.head_dim};
        tally.evaluated += visit_plane({at, plane_cost(at), kv.elements}, ffn, windows, visit);
      });
    }
  }
  tally.excluded_by_flops_or_params = tally.grid_points - tally.evaluated - tally.excluded_by_kv;
  tally.feasible = tally.evaluated;
  return tally;
}

/// The FLOPs leave an interval of F; for each F there, FLOPs and parameters each leave an interval
/// of E. Every point inside both is within the windows, every point outside is not.
Count Grid::visit_plane(const Plane& plane, const AxisValues& ffn, const Windows& windows,
                        const Visitor& visit) const {
  Count visited;
  Candidate point{plane.heads, {0, 0, plane.kv_elements}, {}};
  const Window widths = ffn_window(plane.cost, experts_, windows.flops);
  const std::int64_t last_width = ffn.after_last_not_above(widths.highest);
  for (std::int64_t i = ffn.first_not_below(widths.lowest); i < last_width; ++i) {
    const std::int64_t f = point.geometry.moe_intermediate_size = ffn.at(i);
    const Window experts = experts_window(plane.cost, f, windows);
    const std::int64_t last = experts_.after_last_not_above(experts.highest);
    for (std::int64_t j = experts_.first_not_below(experts.lowest); j < last; ++j) {
      const std::int64_t e = point.geometry.num_experts = experts_.at(j);
      point.budget.training_flops_per_token = static_cast<std::int64_t>(plane.cost.flops(e, f));
      point.budget.non_embedding_params = static_cast<std::int64_t>(plane.cost.params(e, f));
      visit(point);
      visited += 1;
    }
  }
  return visited;
}

}  // namespace smelt
