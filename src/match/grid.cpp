#include "match/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "smelt/error.hpp"
#include "smelt/kv_cache.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// k of the first layer that routes, 0 where none does.
std::int64_t chosen_experts(const Model& model) {
  for (const Layer& layer : model.layers) {
    if (layer.ffn.num_experts > 0) return layer.ffn.num_experts_per_tok;
  }
  return 0;
}

bool experts_differ(const Model& model) {
  const std::int64_t experts = dimensions_of(model).num_experts;
  return std::any_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
    return layer.ffn.num_experts > 0 && (layer.ffn.num_experts != experts ||
                                         layer.ffn.num_experts_per_tok != chosen_experts(model));
  });
}

const MatchProblem& checked(const MatchProblem& problem) {
  const Model& baseline = problem.baseline;
  validate(baseline);
  if (problem.num_layers < 1 || problem.num_layers > kMostLayers) {
    throw InputError("--layers", fmt::format("{} is out of range", problem.num_layers),
                     fmt::format("1 to {}", kMostLayers));
  }
  if (problem.num_layers != baseline.num_layers() && !is_uniform(baseline)) {
    throw InputError("--layers",
                     fmt::format("{} layers from a Baseline of {} that are not alike",
                                 problem.num_layers, baseline.num_layers()),
                     "the Baseline's own depth");
  }
  if (experts_differ(baseline)) {
    throw InputError(baseline.name, "its layers differ in experts or in experts per token",
                     "a Baseline whose routed layers have the same number of them");
  }
  if (problem.num_experts_per_tok && dimensions_of(baseline).num_experts == 0) {
    throw InputError("num_experts_per_tok", "is asked of a Baseline without experts",
                     "leave it out");
  }
  if (problem.top < 1) throw InputError("--top", "is too small", "at least 1");
  return problem;
}

/// The Baseline's layers in the design's depth, its own loop replaced by the design's.
Model unsized_design(const MatchProblem& problem) {
  Model design = problem.baseline;
  design.name.clear();
  design.layers.resize(static_cast<std::size_t>(problem.num_layers), design.layers.front());
  for (Layer& layer : design.layers) {
    layer.visits = 1;
    if (layer.ffn.num_experts > 0 && problem.num_experts_per_tok) {
      layer.ffn.num_experts_per_tok = *problem.num_experts_per_tok;
    }
  }
  if (!loop_spans(problem.baseline).empty()) design.loop = {};
  if (problem.loop) apply_loop(design, *problem.loop);
  return design;
}

AxisValues checked_values(const AxisValues& values, std::int64_t lowest, const char* key) {
  if (values.size() == 0) throw InputError(key, "has no value on the grid", "widen its bounds");
  if (values.at(0) < lowest) {
    throw InputError(key, fmt::format("{} is too small", values.at(0)),
                     fmt::format("at least {}", lowest));
  }
  return values;
}

AxisValues experts_axis(const MatchProblem& problem) {
  const std::int64_t stored = dimensions_of(problem.baseline).num_experts;
  if (stored == 0) return {Axis{}, 0, 0};
  const std::int64_t chosen = experts_per_token(problem);
  return checked_values({problem.rules.num_experts, chosen, stored}, chosen, "num_experts");
}

}  // namespace

std::int64_t experts_per_token(const MatchProblem& problem) {
  return problem.num_experts_per_tok.value_or(chosen_experts(problem.baseline));
}

Count kv_geometries(const MatchProblem& problem) {
  const Dimensions own = dimensions_of(problem.baseline);
  const auto size = [](const Axis& axis, std::int64_t value) {
    return AxisValues(axis, value, value).size();
  };
  if (own.heads) {
    return Count(size(problem.rules.num_key_value_heads, own.heads->num_key_value_heads)) *
           size(problem.rules.head_dim, own.heads->head_dim);
  }
  return own.ranks ? size(problem.rules.kv_lora_rank, own.ranks->kv_lora_rank) : 0;
}

Model build_model(const MatchProblem& problem, const Dimensions& dimensions) {
  return with_dimensions(unsized_design(problem), dimensions);
}

DeclaredGrid::DeclaredGrid(const MatchProblem& problem)
    : problem_(checked(problem)),
      design_(unsized_design(problem)),
      baseline_(budget_of(problem.baseline, problem.convention)),
      reference_(dimensions_of(problem.baseline)),
      hidden_(
          checked_values({problem.rules.hidden_size, 1, reference_.hidden_size}, 1, "hidden_size")),
      experts_(experts_axis(problem)),
      kv_(kv_choices()) {
  if (baseline_.kv_elements_per_token == 0) {
    throw InputError(problem.baseline.name, "keeps no KV cache, so there is no budget to match",
                     "a causal Baseline with softmax attention");
  }
  if (hidden_.size() > kMostHiddenSizes) {
    throw InputError("hidden_size", fmt::format("spans {} sizes", with_separators(hidden_.size())),
                     fmt::format("at most {}", with_separators(kMostHiddenSizes)));
  }
}

std::vector<DeclaredGrid::KvChoice> DeclaredGrid::kv_choices() const {
  std::vector<KvChoice> choices;
  const Rules& rules = problem_.rules;
  const auto values = [](const Axis& axis, std::int64_t own, const char* key) {
    return checked_values({axis, own, own}, 1, key);
  };
  if (const Count geometries = kv_geometries(problem_); geometries > kMostGeometries) {
    throw InputError("head_dim, num_key_value_heads, kv_lora_rank",
                     fmt::format("span {} geometries", with_separators(geometries)),
                     fmt::format("at most {}", with_separators(kMostGeometries)));
  }
  const auto add = [&](KvChoice choice) {
    const Dimensions at = dimensions_at(reference_.hidden_size, choice, choice.num_key_value_heads);
    choice.elements = kv_elements_per_token(with_dimensions(design_, at));
    choices.push_back(choice);
  };
  if (reference_.heads) {
    const AxisValues kv_heads = values(
        rules.num_key_value_heads, reference_.heads->num_key_value_heads, "num_key_value_heads");
    const AxisValues head_dim = values(rules.head_dim, reference_.heads->head_dim, "head_dim");
    for (std::int64_t i = 0; i < kv_heads.size(); ++i) {
      for (std::int64_t j = 0; j < head_dim.size(); ++j)
        add({kv_heads.at(i), head_dim.at(j), 0, 0});
    }
  } else if (reference_.ranks) {
    const AxisValues ranks =
        values(rules.kv_lora_rank, reference_.ranks->kv_lora_rank, "kv_lora_rank");
    for (std::int64_t i = 0; i < ranks.size(); ++i) add({0, 0, ranks.at(i), 0});
  }
  return choices;
}

Dimensions DeclaredGrid::dimensions_at(std::int64_t hidden, const KvChoice& kv,
                                       std::int64_t heads) const {
  Dimensions at = reference_;
  at.hidden_size = hidden;
  at.num_experts = experts_.at(0);
  at.ffn_width = 1;
  if (at.heads) at.heads = HeadGeometry{heads, kv.num_key_value_heads, kv.head_dim};
  if (at.ranks && kv.kv_lora_rank > 0) at.ranks->kv_lora_rank = kv.kv_lora_rank;
  return at;
}

template <typename Visit>
void DeclaredGrid::for_each_head_count(std::int64_t hidden, const KvChoice& kv, Visit visit) const {
  const Rules& rules = problem_.rules;
  if (!reference_.heads) {
    visit(0);
    return;
  }
  if (rules.query_width_is_hidden) {
    const std::int64_t heads = hidden / kv.head_dim;
    if (heads * kv.head_dim == hidden && heads % kv.num_key_value_heads == 0) visit(heads);
    return;
  }
  // lowest ratio <= (n_q d / H) / (Q_0 / H_0) <= highest ratio, for n_q a multiple of n_kv
  const Int128 base = Int128{reference_.heads->num_heads} * reference_.heads->head_dim * hidden;
  const Int128 unit = Int128{kv.num_key_value_heads} * kv.head_dim * reference_.hidden_size;
  const Rational lowest = rules.query_ratio.lowest.value_or(0);
  const Rational highest = rules.query_ratio.highest.value_or(2);
  const std::int64_t first = ceil_div(base * lowest.num(), unit * lowest.den());
  const std::int64_t last = floor_div(base * highest.num(), unit * highest.den());
  for (std::int64_t i = std::max<std::int64_t>(1, first); i <= last; ++i) {
    visit(i * kv.num_key_value_heads);
  }
}

AxisValues DeclaredGrid::ffn_values(std::int64_t hidden, std::int64_t most_flops) const {
  Axis axis = problem_.rules.moe_intermediate_size;
  const Window allowed = ffn_by_ratio(hidden);
  if (!axis.values.empty()) {
    std::erase_if(axis.values, [&](std::int64_t value) { return !allowed.contains(value); });
    if (axis.values.empty()) axis.highest = 0;
    return {axis, 1, 0};
  }
  axis.lowest = std::max(axis.lowest.value_or(1), allowed.lowest);
  if (!axis.highest) {
    // At multiples of the Baseline's F no other width is rounded.
    const Plane any =
        plane_at(dimensions_at(hidden, kv_.front(), kv_.front().num_key_value_heads), 0);
    const std::int64_t own = reference_.ffn_width;
    const Int128 flops_per_own =
        any.at_ffn(2 * own).flops(experts_.at(0)) - any.at_ffn(own).flops(experts_.at(0));
    axis.highest = floor_div(Int128{most_flops} * own, flops_per_own);
  }
  axis.highest = std::min(*axis.highest, allowed.highest);
  return {axis, 1, 0};
}

/// lowest ratio <= (F / H) / (F_0 / H_0) <= highest ratio, solved for F >= 1.
Window DeclaredGrid::ffn_by_ratio(std::int64_t hidden) const {
  Window allowed = {1, kUnbounded};
  const Int128 base = Int128{reference_.ffn_width} * hidden;
  const Int128 reference = reference_.hidden_size;
  if (const auto& ratio = problem_.rules.ffn_ratio.lowest) {
    allowed.lowest =
        std::max(allowed.lowest, ceil_div(base * ratio->num(), reference * ratio->den()));
  }
  if (const auto& ratio = problem_.rules.ffn_ratio.highest) {
    allowed.highest = floor_div(base * ratio->num(), reference * ratio->den());
  }
  return allowed;
}

Plane DeclaredGrid::plane_at(const Dimensions& at, Count kv_elements) const {
  return {design_, problem_.convention, at, kv_elements};
}

Certificate DeclaredGrid::visit_within(const Windows& windows, const Visitor& visit) const {
  const LineVisitor visit_points = {[](Count) { return true; },
                                    [&](const Line& line) {
                                      for (std::int64_t j = line.first; j < line.last; ++j) {
                                        if (!visit(line.at(experts_.at(j)))) return false;
                                      }
                                      return true;
                                    }};
  Certificate tally;
  for (std::int64_t i = 0; i < hidden_.size() && tally.complete; ++i) {
    visit_hidden_size(i, windows, visit_points, tally);
  }
  tally.excluded_by_flops_or_params = tally.grid_points - tally.evaluated - tally.excluded_by_kv;
  tally.feasible = tally.evaluated;
  return tally;
}

void DeclaredGrid::visit_hidden_size(std::int64_t index, const Windows& windows,
                                     const LineVisitor& visit, Certificate& tally) const {
  const std::int64_t hidden = hidden_.at(index);
  const AxisValues ffn = ffn_values(hidden, windows.flops.highest);
  const Count plane_points = Count(ffn.size()) * experts_.size();
  for (const KvChoice& kv : kv_) {
    const bool kv_within = windows.kv.contains(kv.elements.value());
    for_each_head_count(hidden, kv, [&](std::int64_t heads) {
      const Count points_before = tally.grid_points;
      tally.grid_points += plane_points;
      if (!kv_within) tally.excluded_by_kv += plane_points;
      if (!kv_within || plane_points == 0 || !tally.complete) return;
      tally.complete = visit.begin_plane(points_before);
      if (!tally.complete) return;
      const Plane plane = plane_at(dimensions_at(hidden, kv, heads), kv.elements);
      visit_plane(plane, ffn, windows, visit, tally);
    });
  }
}

namespace {

/// The first index from which `holds` is true; it must stay true once it is.
template <typename Predicate>
std::int64_t first_index(std::int64_t size, Predicate holds) {
  std::int64_t low = 0;
  std::int64_t high = size;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

/// FLOPs and parameters grow with F and with E, so they leave an interval of F; for each F there,
/// each of them leaves an interval of E. Every point inside both is within the windows, every
/// point outside is not.
void DeclaredGrid::visit_plane(const Plane& plane, const AxisValues& ffn, const Windows& windows,
                               const LineVisitor& visit, Certificate& tally) const {
  Line line{plane.dimensions(), plane.kv_elements(), {}, {}, 0, 0};
  const Count points_before = tally.grid_points - Count(ffn.size()) * experts_.size();
  const std::int64_t fewest = experts_.at(0);
  const std::int64_t most = experts_.at(experts_.size() - 1);
  const std::int64_t start = first_index(ffn.size(), [&](std::int64_t i) {
    const LineCost cost = plane.at_ffn(ffn.at(i));
    return cost.flops(most) >= windows.flops.lowest && cost.params(most) >= windows.params.lowest;
  });
  for (std::int64_t i = start; i < ffn.size() && tally.complete; ++i) {
    line.cost = plane.at_ffn(ffn.at(i));
    if (line.cost.flops(fewest) > windows.flops.highest) break;
    if (line.cost.params(fewest) > windows.params.highest) break;
    const Window experts = line.cost.experts_within(windows);
    line.dimensions.ffn_width = ffn.at(i);
    line.points_before = points_before + Count(i) * experts_.size();
    line.first = experts_.first_not_below(experts.lowest);
    line.last = experts_.after_last_not_above(experts.highest);
    if (line.first >= line.last) continue;
    tally.evaluated += line.last - line.first;
    tally.complete = visit.visit(line);
  }
}

}  // namespace smelt
