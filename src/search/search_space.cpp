#include "smelt/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/time_ratio.hpp"
#include "smelt/dimensions.hpp"
#include "smelt/error.hpp"

namespace smelt {
namespace {

/// Lengths of loops in a stack of that depth.
std::vector<std::int64_t> lengths_at(const LoopAxes& axes, std::int64_t num_layers) {
  std::vector<std::int64_t> lengths = axes.lengths;
  for (const Rational& fraction : axes.fractions) {
    const Rational length = fraction * Rational(num_layers);
    if (length.is_integer()) lengths.push_back(length.num());
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  std::erase_if(lengths, [&](std::int64_t length) { return length > num_layers; });
  return lengths;
}

std::vector<std::int64_t> starts_at(const LoopAxes& axes, std::int64_t last) {
  if (axes.start == LoopStart::kMiddle) return {last / 2};
  std::vector<std::int64_t> starts = axes.starts;
  if (axes.start == LoopStart::kAny) {
    for (std::int64_t start = 0; start <= last; ++start) starts.push_back(start);
  }
  std::erase_if(starts, [&](std::int64_t start) { return start > last; });
  return starts;
}

/// The loops of one depth, in order; a plain stack where nothing loops.
std::vector<std::optional<LoopSpan>> loops_at(const SearchSpace& space, std::int64_t num_layers) {
  if (!space.loop) return {std::nullopt};
  std::vector<std::optional<LoopSpan>> loops;
  bool has_plain = false;
  for (const std::int64_t length : lengths_at(*space.loop, num_layers)) {
    for (const std::int64_t start : starts_at(*space.loop, num_layers - length)) {
      for (const std::int64_t visits : space.loop->visits) {
        const bool plain = visits == 1 || length == 0;
        if (!plain) loops.emplace_back(LoopSpan{start, length, visits});
        if (plain && !std::exchange(has_plain, true)) loops.emplace_back(std::nullopt);
        if (loops.size() > kMostStacks) return loops;
      }
    }
  }
  return loops;
}

template <typename Value>
std::vector<Value> or_else(const std::vector<std::int64_t>& listed, Value otherwise) {
  if (listed.empty()) return {otherwise};
  return {listed.begin(), listed.end()};
}

}  // namespace

std::vector<Stack> stacks_of(const SearchSpace& space) {
  std::vector<Stack> stacks;
  const auto depths = or_else(space.num_hidden_layers, space.baseline.num_layers());
  const auto chosen =
      or_else(space.num_experts_per_tok, std::optional<std::int64_t>());  // the Baseline's
  for (const std::int64_t num_layers : depths) {
    for (const std::optional<LoopSpan>& loop : loops_at(space, num_layers)) {
      for (const std::optional<std::int64_t>& k : chosen) stacks.push_back({num_layers, loop, k});
      if (stacks.size() > kMostStacks) {
        throw InputError("/loop", "makes more than 1,000,000 stacks", "shorter lists");
      }
    }
  }
  if (stacks.empty()) {
    throw InputError("/loop", "the space is empty: no loop fits any of its depths",
                     "lengths and starts within num_hidden_layers");
  }
  return stacks;
}

MatchProblem problem_of(const SearchSpace& space, const Stack& stack) {
  MatchProblem problem;
  problem.baseline = space.baseline;
  problem.num_layers = stack.num_layers;
  problem.loop = stack.loop;
  problem.num_experts_per_tok = stack.num_experts_per_tok;
  problem.rules = space.rules;
  problem.convention = space.convention;
  problem.objective = space.objective;
  problem.top = space.top;
  return problem;
}

std::int64_t stack_experts_per_token(const SearchSpace& space, const Stack& stack) {
  if (stack.num_experts_per_tok) return *stack.num_experts_per_tok;
  for (const Layer& layer : space.baseline.layers) {
    if (layer.ffn.num_experts > 0) return layer.ffn.num_experts_per_tok;
  }
  return 0;
}

MetricBasis metric_basis(const SearchSpace& space, const Stack& stack) {
  MetricBasis basis;
  const Dimensions reference = dimensions_of(space.baseline);
  basis.effective_layers =
      stack.num_layers + (stack.loop ? stack.loop->length * (stack.loop->visits - 1) : 0);
  basis.num_experts_per_tok = stack_experts_per_token(space, stack);
  basis.reference_hidden = reference.hidden_size;
  basis.reference_ffn = reference.ffn_width;
  basis.batch_tokens = space.batch_tokens;
  basis.expert_parallel_degree = space.expert_parallel_degree;
  if (space.device && space.batch_tokens) {
    basis.time_ratio = TimeRatio(*space.device, *space.batch_tokens, problem_of(space, stack));
  }
  return basis;
}

}  // namespace smelt
