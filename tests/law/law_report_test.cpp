#include "smelt/law_report.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "catch.hpp"
#include "planted.hpp"
#include "smelt/error.hpp"

using smelt::Law;
using smelt::LawForm;
using smelt::LawRole;
using smelt_test::published_law;

namespace {

const smelt::LawQuantity& find(const std::vector<smelt::LawQuantity>& list,
                               const std::string& name) {
  for (const smelt::LawQuantity& one : list) {
    if (one.name == name) return one;
  }
  FAIL("no quantity " + name);
  return list.front();
}

smelt::LawFitRequest request_for(LawForm form) {
  smelt::LawFitRequest request;
  request.data = smelt_test::planted_runs(published_law(form), 0.01, 1);
  request.units = smelt::units_by_row(request.data);
  request.bootstrap.draws = 60;
  request.budgets = {1e21};
  request.scenario.sparsity = form == LawForm::kSparse ? 0.95 : 0;
  return request;
}

}  // namespace

TEST_CASE("a loop law that states phi alone still says what a loop is worth") {
  Law law = published_law(LawForm::kLoop);
  law[LawRole::kFloor] = std::numeric_limits<double>::quiet_NaN();
  // arXiv:2604.21106: 410M looped four times is worth 580M unlooped.
  const smelt::LawPrediction row = smelt::predict(law, "", {201.3e6, 201.3e6, 4, 1e10});
  CHECK(row.equivalent_params.value() == Approx(582e6).epsilon(1e-3));
  CHECK_FALSE(row.loss.has_value());
  CHECK(row.budget == Approx(6 * 5 * 201.3e6 * 1e10));
}

TEST_CASE("a design at hand costs at least the optimum's loss, and the optimum itself nothing") {
  const Law law = published_law(LawForm::kSparse);
  const smelt::LawScenario scenario{.sparsity = 0.95};
  const smelt::LawPlan plan = smelt::plan_budget(law, 1e21, scenario);
  const auto at = [&](double factor) {
    return smelt::plan_design(law, 1e21, {"m", factor * plan.flops_per_token, 0.95}, scenario);
  };
  CHECK(at(1).excess == Approx(0).margin(1e-12));
  CHECK(at(1).tokens_per_param == Approx(plan.tokens_per_param));
  for (const double factor : {0.25, 0.5, 2.0, 4.0}) CHECK(at(factor).excess > 0.001);
  CHECK(at(2).tokens == Approx(plan.tokens / 2));
}

TEST_CASE("the nearest design is near in FLOPs among those of its sparsity") {
  const Law law = published_law(LawForm::kSparse);
  const double best = smelt::plan_budget(law, 1e21, {.sparsity = 0.95}).flops_per_token;
  const std::vector<smelt::LawDesign> designs = {
      {"small", best / 3, 0.95}, {"near", best * 1.5, 0.947}, {"sparser", best, 0.98}};
  const auto nearest = [&](double sparsity) {
    return smelt::plan_with_nearest(law, 1e21, {.sparsity = sparsity}, designs).nearest;
  };
  CHECK(nearest(0.95).value().name == "near");
  CHECK(nearest(0.98).value().name == "sparser");
  CHECK_FALSE(nearest(0.5).has_value());
}

TEST_CASE("a fit derives gamma, plans and gains, each with its interval") {
  smelt::LawFitRequest request = request_for(LawForm::kSparse);
  request.reference = published_law(LawForm::kSparse);
  const smelt::LawFitResult result = smelt::evaluate_fit(request);
  REQUIRE(result.fit.status == smelt::LawFitStatus::kFitted);
  CHECK(result.draws == 60);
  for (const std::string name : {"E", "A", "K", "a", "c", "b"}) {
    CHECK(find(result.coefficients, name).interval.has_value());
  }
  // a c / (a + c) of the planted law.
  const smelt::LawQuantity& gamma = find(result.derived, "gamma");
  CHECK(gamma.value == Approx(0.3703 * 0.6594 / (0.3703 + 0.6594)).epsilon(0.25));
  CHECK(gamma.interval.value().lowest < gamma.value);
  CHECK(gamma.interval.value().highest > gamma.value);
  CHECK(find(result.derived, "tokens_per_param@1e+21").interval.has_value());
  // The planted law over itself: no gain, within the interval of the noise.
  const smelt::LawQuantity& gain = find(result.derived, "gain@1e+21");
  CHECK(std::abs(gain.value) < 0.3);
  CHECK(gain.interval.value().lowest < gain.interval.value().highest);
}

TEST_CASE("no bootstrap, no intervals; no law, no numbers") {
  smelt::LawFitRequest request = request_for(LawForm::kChinchilla);
  request.bootstrap.draws = 0;
  const smelt::LawFitResult plain = smelt::evaluate_fit(request);
  CHECK_FALSE(find(plain.coefficients, "E").interval.has_value());
  request.data.variables[0].assign(request.data.size(), 1e9);
  const smelt::LawFitResult none = smelt::evaluate_fit(request);
  CHECK(none.fit.status == smelt::LawFitStatus::kNotIdentifiable);
  CHECK(none.coefficients.empty());
  CHECK(none.derived.empty());
}

TEST_CASE("a gain table runs over budgets, then scenarios") {
  const Law law = published_law(LawForm::kSparse);
  const smelt::LawGainResult table =
      smelt::tabulate_gain(law, law, {1e20, 1e21}, {{.sparsity = 0.9}, {.sparsity = 0.95}});
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[1].budget == 1e20);
  CHECK(table.rows[1].scenario.sparsity == 0.95);
  CHECK(table.rows[3].gain.value() == Approx(0).margin(1e-9));
  CHECK(table.target_gamma == table.reference_gamma);
}
