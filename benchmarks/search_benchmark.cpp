#include <benchmark/benchmark.h>

#include "smelt/search.hpp"

namespace {

/// The paper's 200M Baseline with 192 experts.
smelt::Model baseline() {
  smelt::Layer layer;
  layer.attention =
      smelt::GroupedQueryAttention{.num_heads = 10, .num_key_value_heads = 2, .head_dim = 128};
  layer.ffn.num_experts = 192;
  layer.ffn.num_experts_per_tok = 8;
  layer.ffn.expert_width = 432;
  smelt::Model model = smelt::uniform_stack(1280, 12, layer);
  model.attended_keys = 392;
  return model;
}

/// The paper's rules with the middle half looped 2, 3, ... times, a stack each.
smelt::SearchSpace paper_space(std::int64_t stacks) {
  smelt::SearchSpace space;
  space.baseline = baseline();
  space.convention = smelt::conventions().front();
  space.loop = smelt::LoopAxes{};
  space.loop->lengths = {6};
  for (std::int64_t i = 0; i < stacks; ++i) space.loop->visits.push_back(2 + i);
  space.rules.hidden_size = {64, std::nullopt, 8, {}};
  space.rules.num_experts = {std::nullopt, 4096, 8, {}};
  space.rules.moe_intermediate_size = {8, std::nullopt, 8, {}};
  space.rules.head_dim = {32, 256, 4, {}};
  space.rules.ffn_ratio = {smelt::Rational(85, 100), smelt::Rational(115, 100)};
  space.rules.tolerance = {{4, 100}, {1, 100}, {4, 100}};
  space.pareto = {{smelt::Metric::kMaxAbsDeviation, false},
                  {smelt::Metric::kFfnRatioDistance, false}};
  return space;
}

void report(benchmark::State& state, const smelt::SearchCounts& counts) {
  const auto per_second = [&](smelt::Count count) {
    return benchmark::Counter(count.to_double(), benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["grid_points"] = counts.grid_points.to_double();
  state.counters["points/s"] = per_second(counts.grid_points);
  state.counters["candidates/s"] = per_second(counts.feasible);
}

void search_for(benchmark::State& state, const smelt::SearchSpace& space, int threads) {
  smelt::SearchOptions options;
  options.threads = threads;
  smelt::SearchCounts counts;
  for (auto _ : state) counts = smelt::search(space, options).counts;
  report(state, counts);
}

/// Where exact bounds leave little to walk: the cost as the space grows 10 and 100 times.
void closed_form(benchmark::State& state) {
  search_for(state, paper_space(state.range(0)), static_cast<int>(state.range(1)));
}
BENCHMARK(closed_form)
    ->ArgNames({"stacks", "threads"})
    ->Args({1, 1})
    ->Args({10, 1})
    ->Args({100, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(closed_form)
    ->ArgNames({"stacks", "threads"})
    ->Args({100, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// Every point of the grid within tolerance.
smelt::SearchSpace all_within(std::int64_t thousand_experts) {
  smelt::SearchSpace space = paper_space(1);
  space.rules.hidden_size = {1024, 1280, 128, {}};
  space.rules.num_experts = {std::nullopt, 7 + thousand_experts * 1000, 1, {}};
  space.rules.head_dim = {64, 64, 1, {}};
  space.rules.ffn_ratio = {};
  space.rules.moe_intermediate_size = {8, 800, 8, {}};
  space.rules.tolerance = {1'000'000, 1'000'000, 1'000'000};
  return space;
}

/// Where points are walked: each is compared by the objective; lines that cannot join the front are
/// passed over, the others' points compared by it too.
void walked(benchmark::State& state) {
  smelt::SearchSpace space = all_within(state.range(0));
  space.objective = smelt::Objective::kSum;
  search_for(state, space, static_cast<int>(state.range(1)));
}
BENCHMARK(walked)
    ->ArgNames({"thousand_experts", "threads"})
    ->Args({10, 1})
    ->Args({100, 1})
    ->Args({1000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(walked)
    ->ArgNames({"thousand_experts", "threads"})
    ->Args({1000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// The worst for a front: rows per expert pull against the deviation along E, and every line is
/// better than those before it, so that most points join for a while.
void growing_front(benchmark::State& state) {
  smelt::SearchSpace space = all_within(state.range(0));
  space.batch_tokens = 65536;
  space.pareto = {{smelt::Metric::kMaxAbsDeviation, false}, {smelt::Metric::kRowsPerExpert, true}};
  search_for(state, space, 1);
}
BENCHMARK(growing_front)
    ->ArgName("thousand_experts")
    ->Arg(1)
    ->Arg(10)
    ->Unit(benchmark::kMillisecond);

}  // namespace
