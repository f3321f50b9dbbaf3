#include <benchmark/benchmark.h>

#include "smelt/model_file.hpp"
#include "smelt/rules_file.hpp"
#include "smelt/sweep.hpp"

namespace {

/// One ablation of the paper: a Baseline of 200M, the rules `paper`, the middle half run twice.
void sweep_paper(benchmark::State& state, smelt::SweepAxis axis,
                 const std::vector<std::int64_t>& values) {
  smelt::SweepRequest request;
  request.problem.baseline =
      smelt::read_model_file(SMELT_PRESET_FILES "/models/baseline-200m-s85.json");
  request.problem.num_layers = request.problem.baseline.num_layers();
  request.problem.loop = smelt::parse_loop("1/2x2", request.problem.num_layers, "loop");
  request.problem.rules = smelt::read_rules_file(SMELT_PRESET_FILES "/rules/paper.json");
  request.problem.convention = smelt::conventions().front();
  request.axis = axis;
  request.values = values;
  for (auto _ : state) benchmark::DoNotOptimize(smelt::sweep(request));
}
BENCHMARK_CAPTURE(sweep_paper, span, smelt::SweepAxis::kSpan, {0, 2, 4, 6, 8, 10, 12})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_paper, depth, smelt::SweepAxis::kDepth, {8, 10, 12, 14})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_paper, visits, smelt::SweepAxis::kVisits, {1, 2, 3, 4})
    ->Unit(benchmark::kMillisecond);

}  // namespace
