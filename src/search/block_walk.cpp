#include "search/block_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace smelt {
namespace {

/// Doubles of one quantity computed in two ways differ by less.
constexpr double kRounding = 1e-12;
/// A stream's text is handed on when it is longer.
constexpr std::size_t kLongText = std::size_t{1} << 20;
constexpr std::size_t kFrontHints = 64;

/// No design is better in this: stands for a time that is not predicted yet.
double best_time(const ParetoMetric& asked) {
  return asked.higher_is_better ? std::numeric_limits<double>::infinity() : 0;
}

double value_of(const MetricValues& values, Metric metric) {
  return values[static_cast<std::size_t>(metric)];
}

/// 1 / tolerance; 0 for a tolerance of 0, within which the deviation is 0 too.
double inverse(const Rational& tolerance) {
  return tolerance == Rational(0) ? 0 : 1 / tolerance.to_double();
}

double score_of(Objective objective, const std::array<double, 3>& scale, double flops,
                double params, double kv) {
  switch (objective) {
    case Objective::kSum:
      return flops + params + kv;
    case Objective::kScaled:
      return std::max({flops * scale[0], params * scale[1], kv * scale[2]});
    case Objective::kMax:
      break;
  }
  return std::max({flops, params, kv});
}

std::array<double, 3> scale_of(const Tolerance& tolerance) {
  return {inverse(tolerance.flops), inverse(tolerance.params), inverse(tolerance.kv)};
}

void set_bar(const SearchSpace& space, const BestDesigns& best, SearchHints& hints) {
  if (!best.full()) return;
  const Deviation& worst = best.worst().candidate.deviation;
  const double flops = std::abs(worst.flops);
  const double params = std::abs(worst.params);
  const double kv = std::abs(worst.kv);
  const double score =
      score_of(space.objective, scale_of(space.rules.tolerance), flops, params, kv);
  if (score > hints.score) return;
  hints.score = score;
  hints.score_is_kv =
      space.objective == Objective::kMax && std::max(flops, params) < kv * (1 - kRounding);
  hints.tied_sum = (flops + params + kv) * (1 + kRounding);
}

}  // namespace

SearchHints hints_from(const SearchSpace& space, const BestDesigns& best, const Front& front) {
  SearchHints hints;
  set_bar(space, best, hints);
  hints.front = front.some_keys(kFrontHints);
  return hints;
}

BlockWalk::BlockWalk(const SearchSpace& space, const SearchOrder& better, const StackGrid& stack,
                     std::int64_t block, SearchHints hints, const Hooks& hooks)
    : space_(space),
      stack_(stack),
      block_(block),
      hints_(std::move(hints)),
      hooks_(hooks),
      scale_(scale_of(space.rules.tolerance)),
      result_(space, better) {}

bool BlockWalk::run(std::int64_t hidden_index) {
  const Windows windows = windows_within(space_.rules.tolerance, stack_.grid.baseline());
  stack_.grid.visit_hidden_size(hidden_index, windows,
                                {[this](Count points_before) { return goes_on(points_before); },
                                 [this](const Line& line) { return visit(line); }},
                                result_.tally);
  return result_.tally.complete;
}

bool BlockWalk::goes_on(Count points_before) {
  if (hooks_.at_point) hooks_.at_point(points_before);
  return hooks_.goes_on();
}

/// The best that any point of a line with so many experts could be: if that is beaten, so is every
/// point.
bool BlockWalk::front_may_want(std::int64_t fewest, std::int64_t most, double least_max_abs) {
  if (!result_.front.is_asked_for()) return false;
  MetricValues best = values_;
  const auto put = [&](Metric metric, double value) {
    best[static_cast<std::size_t>(metric)] = value;
  };
  put(Metric::kMaxAbsDeviation, least_max_abs);
  const double most_rows = rows_per_expert(stack_.basis, fewest);
  const double fewest_rows = rows_per_expert(stack_.basis, most);
  for (const ParetoMetric& asked : space_.pareto) {
    const bool higher = asked.higher_is_better;
    if (asked.metric == Metric::kMaxAbsDeviation && higher) return true;
    if (asked.metric == Metric::kRowsPerExpert) put(asked.metric, higher ? most_rows : fewest_rows);
    if (asked.metric == Metric::kTileFill) put(asked.metric, higher ? 1 : 0);
    if (asked.metric == Metric::kExpertParallelDivisible) put(asked.metric, higher ? 1 : 0);
    if (asked.metric == Metric::kPredictedTimeRatio) put(asked.metric, best_time(asked));
  }
  const FrontKey key = result_.front.key_of(best);
  for (const FrontKey& member : hints_.front) {
    if (beats(member, key)) return false;
  }
  return !result_.front.beats(key);
}

bool BlockWalk::visit(const Line& line) {
  if (!goes_on(line.points_before)) return false;
  const AxisValues& experts = stack_.grid.experts();
  const Candidate point = line.at(experts.at(line.first));
  const Deviation deviation = smelt::deviation(point.budget, stack_.grid.baseline());
  kv_deviation_ = std::abs(deviation.kv);
  values_ = metric_values_without_time(stack_.basis, point.dimensions, deviation);
  const bool for_front =
      front_may_want(experts.at(line.first), experts.at(line.last - 1), kv_deviation_);
  const double least = score_of(space_.objective, scale_, 0, 0, kv_deviation_);
  const bool for_best = least <= hints_.score * (1 + kRounding);
  if (!for_front && !for_best && !hooks_.append) return true;
  for (std::int64_t i = line.first; i < line.last; i += kChunk) {
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kChunk, line.last - i));
    if (hooks_.append) write(line, i, size);
    if (for_front || for_best) visit_chunk(line, i, size, for_front);
    if (!goes_on(line.points_before + i + static_cast<std::int64_t>(size))) return false;
  }
  return true;
}

void BlockWalk::visit_chunk(const Line& line, std::int64_t first, std::size_t size,
                            bool for_front) {
  const AxisValues& axis = stack_.grid.experts();
  for (std::size_t i = 0; i < size; ++i) {
    experts_[i] = axis.at(first + static_cast<std::int64_t>(i));
  }
  const Budget& baseline = stack_.grid.baseline();
  const auto deviations = [&](Int128 at_zero, Int128 slope, Count reference, auto& into) {
    const auto base = static_cast<std::int64_t>(at_zero - reference.value());
    const auto step = static_cast<std::int64_t>(slope);
    const double scale = reference.to_double();
    for (std::size_t i = 0; i < size; ++i) {
      into[i] = std::abs(static_cast<double>(base + step * experts_[i]) / scale);
    }
  };
  deviations(line.cost.flops_0, line.cost.flops_e, baseline.training_flops_per_token, flops_);
  deviations(line.cost.params_0, line.cost.params_e, baseline.non_embedding_params, params_);
  for (std::size_t i = 0; i < size; ++i) {
    max_abs_[i] = std::max({flops_[i], params_[i], kv_deviation_});
    score_[i] = score_of(space_.objective, scale_, flops_[i], params_[i], kv_deviation_);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (may_be_candidate(i)) offer_best(line, experts_[i]);
  }
  const double least = *std::min_element(max_abs_.begin(), max_abs_.begin() + size);
  if (!for_front || !front_may_want(experts_[0], experts_[size - 1], least)) return;
  for (std::size_t i = 0; i < size; ++i) offer_front(line, experts_[i], max_abs_[i]);
}

/// Whether the point may be better than the worst candidate held.
bool BlockWalk::may_be_candidate(std::size_t i) const {
  if (score_[i] > hints_.score * (1 + kRounding)) return false;
  const bool tied = hints_.score_is_kv && score_[i] == hints_.score && score_[i] == kv_deviation_;
  return !tied || flops_[i] + params_[i] + kv_deviation_ <= hints_.tied_sum;
}

SearchDesign BlockWalk::design(const Line& line, std::int64_t experts) const {
  SearchDesign design{block_, stack_.index, line.at(experts), {}};
  design.candidate.deviation = deviation(design.candidate.budget, stack_.grid.baseline());
  design.metrics =
      metric_values(stack_.basis, design.candidate.dimensions, design.candidate.deviation);
  return design;
}

void BlockWalk::offer_best(const Line& line, std::int64_t experts) {
  result_.best.offer(design(line, experts));
  set_bar(space_, result_.best, hints_);
}

void BlockWalk::offer_front(const Line& line, std::int64_t experts, double max_abs) {
  const auto put = [&](Metric metric, double value) {
    values_[static_cast<std::size_t>(metric)] = value;
  };
  for (const ParetoMetric& asked : space_.pareto) {
    if (asked.metric == Metric::kMaxAbsDeviation) put(asked.metric, max_abs);
    if (asked.metric == Metric::kRowsPerExpert) {
      put(asked.metric, rows_per_expert(stack_.basis, experts));
    }
    if (asked.metric == Metric::kTileFill) put(asked.metric, tile_fill(stack_.basis, experts));
    if (asked.metric == Metric::kExpertParallelDivisible) {
      put(asked.metric, expert_parallel_divisible(stack_.basis, experts));
    }
    if (asked.metric == Metric::kPredictedTimeRatio) put(asked.metric, best_time(asked));
  }
  if (result_.front.beats(result_.front.key_of(values_))) return;
  const SearchDesign own = design(line, experts);
  put(Metric::kPredictedTimeRatio, value_of(own.metrics, Metric::kPredictedTimeRatio));
  const FrontKey key = result_.front.key_of(values_);
  if (!result_.front.beats(key)) result_.front.offer(key, own);
}

void BlockWalk::write(const Line& line, std::int64_t first, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t experts = stack_.grid.experts().at(first + static_cast<std::int64_t>(i));
    hooks_.append(design(line, experts), result_.text);
  }
  if (result_.text.size() > kLongText) hooks_.flush(result_.text);
}

}  // namespace smelt
