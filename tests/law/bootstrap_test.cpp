#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "planted.hpp"
#include "smelt/law_fit.hpp"

using smelt::Bootstrap;
using smelt::LawData;
using smelt::LawFit;
using smelt::LawForm;
using smelt_test::planted_runs;
using smelt_test::published_law;

TEST_CASE("a bootstrap is the same on any number of threads, and repeats itself") {
  const LawData data = planted_runs(published_law(LawForm::kSparse), 0.01, 1);
  const LawFit fit = smelt::fit_law(data);
  const auto run = [&](int threads, std::uint64_t seed) {
    return smelt::bootstrap_law(data, fit, smelt::units_by_cell(data), {},
                                {.draws = 50, .seed = seed, .threads = threads})
        .coefficients;
  };
  const std::vector<smelt::LawCoefficients> alone = run(1, 7);
  CHECK(run(2, 7) == alone);
  CHECK(run(5, 7) == alone);
  CHECK(run(1, 8) != alone);
}

TEST_CASE("more draws extend a bootstrap and leave the first ones as they were") {
  const LawData data = planted_runs(published_law(LawForm::kChinchilla), 0.01, 1);
  const LawFit fit = smelt::fit_law(data);
  const auto run = [&](std::size_t draws) {
    return smelt::bootstrap_law(data, fit, smelt::units_by_row(data), {}, {.draws = draws})
        .coefficients;
  };
  const std::vector<smelt::LawCoefficients> few = run(5);
  const std::vector<smelt::LawCoefficients> many = run(10);
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
}

TEST_CASE("units are rows, models, or equal keys") {
  const LawData data = planted_runs(published_law(LawForm::kSparse), 0.01, 1);
  CHECK(smelt::units_by_row(data).count == 72);
  // The paper's 12 cells of six horizons each.
  const smelt::BootstrapUnits cells = smelt::units_by_cell(data);
  CHECK(cells.count == 12);
  for (std::size_t i = 0; i < data.size(); ++i) CHECK(cells.unit_of_row[i] == i / 6);
  const smelt::BootstrapUnits keys = smelt::units_by_key({"b", "a", "b", "c"});
  CHECK(keys.count == 3);
  CHECK(keys.unit_of_row == std::vector<std::size_t>{0, 1, 0, 2});
}

TEST_CASE("a single unit gives the fit itself in every draw") {
  const LawData data = planted_runs(published_law(LawForm::kChinchilla), 0.01, 1);
  const LawFit fit = smelt::fit_law(data);
  const smelt::BootstrapUnits all = smelt::units_by_key(std::vector<std::string>(data.size()));
  const Bootstrap bootstrap = smelt::bootstrap_law(data, fit, all, {}, {.draws = 3});
  REQUIRE(bootstrap.coefficients.size() == 3);
  for (const smelt::LawCoefficients& one : bootstrap.coefficients) {
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(one[i] == Approx(fit.law.coefficients[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("percentile intervals interpolate between order statistics") {
  const std::vector<double> values = {5, 1, 4, 2, 3};
  CHECK(smelt::percentile_interval(values, 1).lowest == 1);
  CHECK(smelt::percentile_interval(values, 1).highest == 5);
  CHECK(smelt::percentile_interval(values, 0.5).lowest == 2);
  CHECK(smelt::percentile_interval(values, 0.9).lowest == Approx(1.2));
  CHECK(smelt::percentile_interval(values, 0.9).highest == Approx(4.8));
  CHECK(smelt::percentile_interval({7}, 0.9).highest == 7);
}
