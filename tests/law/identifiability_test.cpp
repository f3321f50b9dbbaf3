#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "planted.hpp"
#include "smelt/law_fit.hpp"
#include "smelt/random.hpp"

using smelt::Law;
using smelt::LawData;
using smelt::LawFit;
using smelt::LawFitStatus;
using smelt::LawForm;
using smelt_test::published_law;

namespace {

/// Runs at the given variables with 0.5 % noise on the law's loss.
LawData runs_at(const Law& law, const std::vector<std::vector<double>>& rows) {
  LawData data;
  data.form = law.form;
  data.variables.resize(rows.front().size());
  smelt::RandomStream stream(9);
  for (const std::vector<double>& row : rows) {
    for (std::size_t v = 0; v < row.size(); ++v) data.variables[v].push_back(row[v]);
    data.loss.push_back(smelt::loss(law, row) * std::exp(0.005 * stream.normal()));
  }
  return data;
}

/// Eight sizes by six horizons, (N, D) as `place` maps them.
std::vector<std::vector<double>> grid(
    const std::function<std::vector<double>(double params, double horizon)>& place) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 6; ++j) rows.push_back(place(5e7 * std::pow(2, i), 4 * std::pow(1.8, j)));
  }
  return rows;
}

Law chinchilla() { return published_law(LawForm::kChinchilla); }

Law without(smelt::LawRole role) {
  Law law = chinchilla();
  law[role] = 0;
  return law;
}

}  // namespace

TEST_CASE("runs that determine no law give a reason and a remedy, not a law") {
  struct Case {
    const char* name;
    LawData data;
    const char* what;
  };
  const auto plain = [](double n, double h) { return std::vector<double>{n, n * h}; };
  std::vector<std::vector<double>> loops;
  std::vector<std::vector<double>> one_sparsity;
  for (const std::vector<double>& row : grid(plain)) {
    loops.push_back({row[0], row[0], 2, row[1]});
    one_sparsity.push_back({6 * row[0], 0.9, row[1]});
  }
  const Case cases[] = {
      {"fewer runs than needed",
       runs_at(chinchilla(), {{1e8, 1e9}, {2e8, 1e9}, {1e8, 4e9}, {4e8, 9e9}, {8e8, 1e10}}),
       "5 runs for 5 coefficients"},
      {"one size", runs_at(chinchilla(), grid([](double n, double h) {
                             return std::vector<double>{1e8, n * h};
                           })),
       "params is the same in every run"},
      {"one horizon", runs_at(chinchilla(), grid([](double n, double h) {
                                return std::vector<double>{n * h, 1e10};
                              })),
       "tokens is the same in every run"},
      {"one sparsity", runs_at(published_law(LawForm::kSparse), one_sparsity),
       "sparsity is the same in every run"},
      {"one loop count", runs_at(published_law(LawForm::kLoop), loops),
       "visits is the same in every run"},
      {"twenty tokens per parameter", runs_at(chinchilla(), grid([](double n, double h) {
                                                return std::vector<double>{n * h, 20 * n * h};
                                              })),
       "tokens is tied to params"},
      {"a fixed power of the size",
       runs_at(chinchilla(), grid([](double n, double h) {
                 return std::vector<double>{n * h, 1e3 * std::pow(n * h, 0.8)};
               })),
       "tokens is tied to params"},
      {"no floor in sight", runs_at(without(smelt::LawRole::kFloor), grid(plain)),
       "the floor E runs to 0"},
      {"tokens without effect", runs_at(without(smelt::LawRole::kDataScale), grid(plain)), ""},
      {"optimum beyond the runs", runs_at(chinchilla(), grid([](double n, double h) {
                                            return std::vector<double>{n, 100 * n * h};
                                          })),
       "the loss has its minimum at the edge of the runs"},
      {"optimum before the runs", runs_at(chinchilla(), grid([](double n, double h) {
                                            return std::vector<double>{n, n * h / 40};
                                          })),
       "the loss has its minimum at the edge of the runs"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const LawFit fit = smelt::fit_law(c.data);
    CHECK(fit.status == LawFitStatus::kNotIdentifiable);
    REQUIRE_FALSE(fit.obstacles.empty());
    INFO(fit.obstacles.front().what);
    CHECK(fit.obstacles.front().what.find(c.what) == 0);
    CHECK_FALSE(fit.obstacles.front().remedy.empty());
  }
}

TEST_CASE("a design that does determine the law is not refused") {
  const auto plain = [](double n, double h) { return std::vector<double>{n, n * h}; };
  const LawFit fit = smelt::fit_law(runs_at(chinchilla(), grid(plain)));
  CHECK(fit.status == LawFitStatus::kFitted);
  CHECK(fit.obstacles.empty());
}

TEST_CASE("statuses have names") {
  CHECK(smelt::law_fit_status_name(LawFitStatus::kFitted) == "fitted");
  CHECK(smelt::law_fit_status_name(LawFitStatus::kNotIdentifiable) == "not identifiable");
  CHECK(smelt::law_fit_status_name(LawFitStatus::kNotConverged) == "not converged");
}
