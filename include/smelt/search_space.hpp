#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/convention.hpp"
#include "smelt/hardware.hpp"
#include "smelt/match.hpp"
#include "smelt/search_metrics.hpp"

namespace smelt {

/// Where the loops of a space begin.
enum class LoopStart {
  kMiddle,  ///< floor((L - m) / 2) layers stand before it
  kAny,     ///< at every layer from which it fits
  kListed,  ///< at the listed layers from which it fits
};

/// The loops of a space: every length with every start and number of visits. Once around is a plain
/// stack, which stands in the space once however many loops come to it.
struct LoopAxes {
  std::vector<std::int64_t> lengths;  ///< layers
  std::vector<Rational> fractions;    ///< of the depth, where that is a whole number of layers
  LoopStart start = LoopStart::kMiddle;
  std::vector<std::int64_t> starts;  ///< counted from 0, for LoopStart::kListed
  std::vector<std::int64_t> visits;

  friend bool operator==(const LoopAxes&, const LoopAxes&) = default;
};

/// A design space: every stack of the axes with every point of the rules' grid, and what is asked
/// of it. The lists are in ascending order, each value once.
struct SearchSpace {
  std::string name;
  std::string description;
  Model baseline;
  std::vector<std::int64_t> num_hidden_layers;    ///< L; empty: the Baseline's
  std::optional<LoopAxes> loop;                   ///< absent: plain stacks
  std::vector<std::int64_t> num_experts_per_tok;  ///< k; empty: the Baseline's
  Rules rules;
  Convention convention;
  Objective objective = Objective::kMax;
  std::int64_t top = 10;             ///< candidates to return
  std::vector<ParetoMetric> pareto;  ///< empty: no front is asked for
  std::optional<std::int64_t> batch_tokens;
  std::optional<std::int64_t> expert_parallel_degree;
  std::optional<Hardware> device;  ///< of the predicted time
};

/// What a design of a space is but for its dimensions.
struct Stack {
  std::int64_t num_layers = 0;
  std::optional<LoopSpan> loop;
  std::optional<std::int64_t> num_experts_per_tok;  ///< absent: the Baseline's

  friend bool operator==(const Stack&, const Stack&) = default;
};

/// The most stacks of a space, and the most values of one of its lists.
inline constexpr std::size_t kMostStacks = 1'000'000;
/// The most tokens of a batch.
inline constexpr std::int64_t kMostBatchTokens = 1'000'000'000'000;

/// The stacks in the order of the space: by L, loop length, start, visits, then k. Throws
/// InputError when there is none or there are too many.
std::vector<Stack> stacks_of(const SearchSpace& space);

/// The match problem of one stack.
MatchProblem problem_of(const SearchSpace& space, const Stack& stack);

/// k of a stack's designs; 0 where no layer routes.
std::int64_t stack_experts_per_token(const SearchSpace& space, const Stack& stack);

MetricBasis metric_basis(const SearchSpace& space, const Stack& stack);

}  // namespace smelt
