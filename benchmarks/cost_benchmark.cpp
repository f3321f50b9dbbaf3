#include <benchmark/benchmark.h>

#include "smelt/cost.hpp"
#include "smelt/model.hpp"

namespace {

/// A sparse MoE stack of the given depth whose middle half runs twice.
smelt::Model looped_stack(std::int64_t num_layers) {
  smelt::Layer layer;
  layer.attention =
      smelt::GroupedQueryAttention{.num_heads = 12, .num_key_value_heads = 2, .head_dim = 84};
  layer.ffn.num_experts = 288;
  layer.ffn.num_experts_per_tok = 8;
  layer.ffn.expert_width = 368;
  smelt::Model model =
      smelt::uniform_stack(1008, num_layers, layer, smelt::parse_loop("1/2x2", num_layers, "loop"));
  model.attended_keys = 392;
  return model;
}

/// The three budgets of one model, as a search evaluates them for each candidate.
void count_budget(benchmark::State& state) {
  const smelt::Model model = looped_stack(state.range(0));
  const smelt::Convention& paper = smelt::conventions().front();
  for (auto _ : state) benchmark::DoNotOptimize(smelt::budget_of(model, paper));
}
BENCHMARK(count_budget)->ArgName("layers")->Arg(12)->Arg(20)->Arg(30);

void count_parameters(benchmark::State& state) {
  const smelt::Model model = looped_stack(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(smelt::count_parameters(model));
}
BENCHMARK(count_parameters)->ArgName("layers")->Arg(12)->Arg(20)->Arg(30);

void count_flops(benchmark::State& state) {
  const smelt::Model model = looped_stack(state.range(0));
  const smelt::Convention& paper = smelt::conventions().front();
  for (auto _ : state) benchmark::DoNotOptimize(smelt::count_flops(model, paper));
}
BENCHMARK(count_flops)->ArgName("layers")->Arg(12)->Arg(20)->Arg(30);

}  // namespace
