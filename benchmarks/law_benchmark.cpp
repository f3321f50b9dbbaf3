#include <benchmark/benchmark.h>

#include <cmath>

#include "smelt/law_fit.hpp"
#include "smelt/random.hpp"

namespace {

/// Runs of a law with 1 % noise, sizes by horizons (by sparsities in the sparse form).
smelt::LawData runs_of(const smelt::Law& law, int sizes, int horizons,
                       const std::vector<double>& sparsities) {
  smelt::LawData data;
  data.form = law.form;
  data.variables.resize(smelt::law_form_info(law.form).variables.size());
  smelt::RandomStream stream(1);
  for (const double sparsity : sparsities) {
    for (int i = 0; i < sizes * horizons; ++i) {
      const double params = 1e8 * std::pow(20.0, (i / horizons) / (sizes - 1.0));
      const double tokens = 4 * params * std::pow(60.0, (i % horizons) / (horizons - 1.0));
      std::vector<double> row = {params, tokens};
      if (law.form == smelt::LawForm::kSparse) row = {6 * params, sparsity, tokens};
      for (std::size_t v = 0; v < row.size(); ++v) data.variables[v].push_back(row[v]);
      data.loss.push_back(smelt::loss(law, row) * std::exp(0.01 * stream.normal()));
    }
  }
  return data;
}

/// 240 runs of the Chinchilla form (Besiroglu et al.'s coefficients).
smelt::LawData chinchilla_runs() {
  smelt::Law law;
  law.coefficients = {1.8172, 482.01, 2085.43, 0.3478, 0.3658};
  return runs_of(law, 20, 12, {0});
}

/// 72 runs of the sparse form on a grid of the paper's size: 3 sparsities, 4 sizes, 6 horizons.
smelt::LawData sparse_runs() {
  smelt::Law law;
  law.form = smelt::LawForm::kSparse;
  law.coefficients = {1.4439, 1366, 1975000, 0.3703, 0.6594, 0.153};
  return runs_of(law, 4, 6, {0.85, 0.95, 0.97});
}

/// One fit from scratch: grid, eight starts, checks.
void fit_240_runs(benchmark::State& state) {
  const smelt::LawData data = chinchilla_runs();
  for (auto _ : state) benchmark::DoNotOptimize(smelt::fit_law(data));
}
BENCHMARK(fit_240_runs)->Unit(benchmark::kMillisecond);

void fit_72_sparse_runs(benchmark::State& state) {
  const smelt::LawData data = sparse_runs();
  for (auto _ : state) benchmark::DoNotOptimize(smelt::fit_law(data));
}
BENCHMARK(fit_72_sparse_runs)->Unit(benchmark::kMillisecond);

/// The paper's own bootstrap: 2,000 draws of the 12 cells.
void bootstrap_2000_draws(benchmark::State& state) {
  const smelt::LawData data = sparse_runs();
  const smelt::LawFit fit = smelt::fit_law(data);
  const smelt::BootstrapUnits cells = smelt::units_by_cell(data);
  const smelt::BootstrapOptions options{
      .draws = 2000, .seed = 0, .threads = static_cast<int>(state.range(0))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(smelt::bootstrap_law(data, fit, cells, {}, options));
  }
}
BENCHMARK(bootstrap_2000_draws)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kSecond);

}  // namespace
