#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "smelt/law.hpp"
#include "smelt/law_fit.hpp"

namespace smelt_test {

/// A published law of each form; the loop law with phi = 0.46 on the coefficients of Besiroglu et
/// al., since its source prints no others.
smelt::Law published_law(smelt::LawForm form);

/// Runs on a plausible grid for the form, with the law's own losses times exp(noise x N(0, 1)):
/// 10 sizes by 12 horizons (chinchilla), 3 sparsities by 4 sizes by 6 horizons (sparse, the paper's
/// own grid), 4 visits by 6 widths by 5 horizons at equal executed depth (loop).
smelt::LawData planted_runs(const smelt::Law& law, double noise, std::uint64_t seed);

/// How often the standard errors and intervals of one exponent held over many data sets.
struct Coverage {
  std::string exponent;  ///< its name in the form
  int within_two_errors = 0;
  int in_interval = 0;  ///< of 90 %
};

struct CoverageStudy {
  int sets = 0;      ///< data sets that gave a law
  int unfitted = 0;  ///< data sets that gave none
  std::vector<Coverage> exponents;
};

/// Fits `sets` data sets of 1 % noise under Huber's threshold `huber_delta` and bootstraps each by
/// row with `draws` draws.
CoverageStudy measure_coverage(smelt::LawForm form, std::size_t sets, std::size_t draws,
                               std::uint64_t seed, double huber_delta);

}  // namespace smelt_test
