#include <benchmark/benchmark.h>

#include "smelt/infer.hpp"
#include "smelt/printed_table_file.hpp"

namespace {

/// Both configuration tables of the paper, row by row and jointly.
void infer_paper(benchmark::State& state) {
  const smelt::PrintedTable table = smelt::read_printed_table(SMELT_PAPER_TABLES);
  const smelt::Convention& paper = smelt::conventions().front();
  for (auto _ : state) benchmark::DoNotOptimize(smelt::infer_geometry(table, {}, paper));
}
BENCHMARK(infer_paper)->Unit(benchmark::kMillisecond);

/// The same on a grid of every F and every divisor of the query width.
void infer_paper_on_every_width(benchmark::State& state) {
  const smelt::PrintedTable table = smelt::read_printed_table(SMELT_PAPER_TABLES);
  const smelt::Convention& paper = smelt::conventions().front();
  smelt::InferDomain domain;
  domain.expert_ffn.multiple_of = domain.kv_width.multiple_of = 1;
  for (auto _ : state) benchmark::DoNotOptimize(smelt::infer_geometry(table, domain, paper));
}
BENCHMARK(infer_paper_on_every_width)->Unit(benchmark::kMillisecond);

}  // namespace
