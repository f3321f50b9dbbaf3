#include "planted.hpp"

#include <cmath>

#include "smelt/random.hpp"

using smelt::Law;
using smelt::LawData;
using smelt::LawForm;

namespace smelt_test {

Law published_law(LawForm form) {
  Law law;
  law.form = form;
  switch (form) {
    case LawForm::kSparse:
      law.coefficients = {1.4439, 1366, 1975000, 0.3703, 0.6594, 0.153};
      break;
    case LawForm::kLoop:
      law.coefficients = {1.8172, 482.01, 2085.43, 0.3478, 0.3658, 0.46};
      break;
    case LawForm::kChinchilla:
      law.coefficients = {1.8172, 482.01, 2085.43, 0.3478, 0.3658};
      break;
  }
  return law;
}

namespace {

std::vector<double> geometric(double first, double ratio, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first * std::pow(ratio, i));
  return values;
}

std::vector<std::vector<double>> chinchilla_grid() {
  std::vector<std::vector<double>> rows;
  for (const double params : geometric(5e7, 2, 10)) {
    for (const double horizon : geometric(2, 1.6, 12)) rows.push_back({params, params * horizon});
  }
  return rows;
}

std::vector<std::vector<double>> sparse_grid() {
  std::vector<std::vector<double>> rows;
  for (const double sparsity : {0.85, 0.95, 0.97}) {
    for (const double flops : geometric(6e8, 2.5, 4)) {
      for (const double horizon : geometric(15, 1.8, 6)) {
        rows.push_back({flops, sparsity, flops / 6 * horizon});
      }
    }
  }
  return rows;
}

/// 20 executed layers: 4 once, 16 / r recurrent, r times.
std::vector<std::vector<double>> loop_grid() {
  std::vector<std::vector<double>> rows;
  for (const double visits : {1, 2, 4, 8}) {
    for (const double layer : geometric(2e6, 2.2, 6)) {
      for (const double horizon : geometric(4, 2, 5)) {
        rows.push_back({4 * layer, 16 / visits * layer, visits, 20 * layer * horizon});
      }
    }
  }
  return rows;
}

std::vector<std::vector<double>> grid_of(LawForm form) {
  if (form == LawForm::kSparse) return sparse_grid();
  return form == LawForm::kLoop ? loop_grid() : chinchilla_grid();
}

constexpr auto kFirstExponent = static_cast<std::size_t>(smelt::LawRole::kCapacityExponent);

double standard_deviation(const std::vector<double>& values) {
  double mean = 0;
  double square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size() - 1));
}

/// Counts the exponents of one data set that their own bootstrap covers.
void count_exponents(const Law& truth, const smelt::LawFit& fit, const smelt::Bootstrap& bootstrap,
                     CoverageStudy& study) {
  for (std::size_t e = 0; e < study.exponents.size(); ++e) {
    const std::size_t role = kFirstExponent + e;
    std::vector<double> values;
    for (const smelt::LawCoefficients& one : bootstrap.coefficients) values.push_back(one[role]);
    const smelt::Interval interval = smelt::percentile_interval(values, 0.9);
    const double planted = truth.coefficients[role];
    const double error = std::abs(fit.law.coefficients[role] - planted);
    if (error <= 2 * standard_deviation(values)) ++study.exponents[e].within_two_errors;
    if (interval.lowest <= planted && planted <= interval.highest) ++study.exponents[e].in_interval;
  }
}

}  // namespace

LawData planted_runs(const Law& law, double noise, std::uint64_t seed) {
  LawData data;
  data.form = law.form;
  data.variables.resize(smelt::law_form_info(law.form).variables.size());
  smelt::RandomStream stream(seed);
  for (const std::vector<double>& row : grid_of(law.form)) {
    for (std::size_t v = 0; v < row.size(); ++v) data.variables[v].push_back(row[v]);
    data.loss.push_back(smelt::loss(law, row) * std::exp(noise * stream.normal()));
  }
  return data;
}

CoverageStudy measure_coverage(LawForm form, std::size_t sets, std::size_t draws,
                               std::uint64_t seed, double huber_delta) {
  CoverageStudy study;
  smelt::LawFitOptions fitting;
  fitting.huber_delta = huber_delta;
  const Law truth = published_law(form);
  const std::vector<std::string>& names = smelt::law_form_info(form).coefficients;
  for (std::size_t role = kFirstExponent; role < names.size(); ++role) {
    study.exponents.push_back({names[role]});
  }
  for (std::size_t set = 0; set < sets; ++set) {
    const LawData data = planted_runs(truth, 0.01, seed + set);
    const smelt::LawFit fit = smelt::fit_law(data, fitting);
    if (fit.status != smelt::LawFitStatus::kFitted) {
      ++study.unfitted;
      continue;
    }
    ++study.sets;
    const smelt::BootstrapOptions options{.draws = draws, .seed = seed + set, .threads = 0};
    count_exponents(truth, fit,
                    smelt::bootstrap_law(data, fit, smelt::units_by_row(data), fitting, options),
                    study);
  }
  return study;
}

}  // namespace smelt_test
