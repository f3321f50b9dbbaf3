#include "smelt/law.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "smelt/error.hpp"

using smelt::Frontier;
using smelt::Law;
using smelt::LawForm;
using smelt::LawPlan;
using smelt::LawRole;
using smelt::LawScenario;

namespace {

/// The two laws of arXiv:2609.01343, table of fitted coefficients, in the order E, A, K, a, c, b.
Law paper_law(const std::string& name) {
  Law law;
  law.name = name;
  law.form = LawForm::kSparse;
  law.window = {{"budget", {1.3e19, 2.2e21}}, {"sparsity", {0.85, 0.97}}};
  if (name == "smelt") {
    law.coefficients = {1.4493, 1963, 5264000, 0.3892, 0.7011, 0.146};
  } else {
    law.coefficients = {1.4439, 1366, 1975000, 0.3703, 0.6594, 0.153};
  }
  return law;
}

/// Besiroglu et al. 2024.
Law refit() {
  Law law;
  law.name = "refit";
  law.coefficients = {1.8172, 482.01, 2085.43, 0.3478, 0.3658};
  return law;
}

Law loop_law(double phi) {
  Law law = refit();
  law.form = LawForm::kLoop;
  law[LawRole::kExtraExponent] = phi;
  return law;
}

LawScenario at_sparsity(double sparsity) { return {.sparsity = sparsity}; }

}  // namespace

TEST_CASE("the paper's compute-efficiency gains come out within 0.15 points") {
  struct Case {
    double budget;
    double sparsity;
    double printed_percent;
    bool extrapolated;
  };
  // The coefficients are printed to four digits, which moves a gain by about a tenth of a point.
  const Case cases[] = {
      {1e20, 0.85, 10.0, false}, {1e20, 0.95, 7.8, false},  {1e20, 0.97, 6.8, false},
      {1e21, 0.85, 18.0, false}, {1e21, 0.95, 15.8, false}, {1e21, 0.97, 14.7, false},
      {1e22, 0.85, 23.5, true},  {1e22, 0.95, 20.9, true},  {1e22, 0.97, 19.6, true},
  };
  for (const Case& c : cases) {
    INFO(c.budget << " FLOPs at S = " << c.sparsity);
    const smelt::LawGain gain = smelt::compute_gain(paper_law("smelt"), paper_law("baseline"),
                                                    c.budget, at_sparsity(c.sparsity));
    REQUIRE(gain.gain.has_value());
    CHECK(std::abs(100 * *gain.gain - c.printed_percent) <= 0.15);
    CHECK(gain.extrapolated == c.extrapolated);
  }
}

TEST_CASE("the paper's tokens per parameter at 1e21 come out within one") {
  struct Case {
    const char* law;
    double sparsity;
    double printed;
  };
  const Case cases[] = {{"baseline", 0.85, 56}, {"baseline", 0.95, 78}, {"baseline", 0.97, 91},
                        {"smelt", 0.85, 56},    {"smelt", 0.95, 75},    {"smelt", 0.97, 86}};
  for (const Case& c : cases) {
    INFO(c.law << " at S = " << c.sparsity);
    const LawPlan plan = smelt::plan_budget(paper_law(c.law), 1e21, at_sparsity(c.sparsity));
    CHECK(std::abs(plan.tokens_per_param - c.printed) <= 1);
    CHECK(plan.flops_per_token * plan.tokens == Approx(1e21));
    CHECK_FALSE(plan.extrapolated);
  }
}

TEST_CASE("the paper's gamma and the crossover of the data terms") {
  const auto gamma = [](const char* name) {
    return smelt::frontier_of(paper_law(name), at_sparsity(0.95)).gamma();
  };
  CHECK(gamma("baseline") == Approx(0.237).margin(5e-4));
  CHECK(gamma("smelt") == Approx(0.250).margin(5e-4));
  const auto crossover = smelt::data_term_crossover(paper_law("baseline"), paper_law("smelt"));
  CHECK(crossover.value() == Approx(1.6e10).margin(0.05e10));
  CHECK_FALSE(smelt::data_term_crossover(refit(), refit()).has_value());
}

TEST_CASE("Hoffmann et al.'s law gives the loss they state for Chinchilla and Gopher's place") {
  Law hoffmann;
  hoffmann.coefficients = {1.69, 406.4, 410.7, 0.34, 0.28};
  // By hand: 1.69 + 406.4 / 70e9^0.34 + 410.7 / 1.4e12^0.28 = 1.69 + 0.0834 + 0.1634.
  CHECK(smelt::loss(hoffmann, {70e9, 1.4e12}) == Approx(1.9365).margin(1e-3));
  // Gopher's 280B on 300B tokens, 1.993: Chinchilla is better at less compute.
  CHECK(smelt::loss(hoffmann, {280e9, 300e9}) == Approx(1.993).margin(1e-3));
}

TEST_CASE("the refit's optimum is near twenty tokens per parameter at Chinchilla's budget") {
  const LawPlan plan = smelt::plan_budget(refit(), 5.76e23, {});
  CHECK(plan.tokens_per_param > 15);
  CHECK(plan.tokens_per_param < 30);
}

TEST_CASE("a plan is the minimum over all splits of its budget") {
  const Law laws[] = {paper_law("smelt"), paper_law("baseline"), refit(), loop_law(0.46)};
  const LawScenario scenario{.sparsity = 0.9, .visits = 4, .recurrent_share = 0.5};
  for (const Law& law : laws) {
    for (const double budget : {1e18, 1e20, 3e22}) {
      const Frontier frontier = smelt::frontier_of(law, scenario);
      const double best = frontier.optimal_flops_per_token(budget);
      INFO(law.name << " at " << budget);
      CHECK(frontier.loss_at(budget, best) == Approx(frontier.optimal_loss(budget)).epsilon(1e-14));
      for (const double factor : {0.5, 0.99, 1.01, 2.0}) {
        CHECK(frontier.loss_at(budget, best * factor) > frontier.optimal_loss(budget));
      }
      CHECK(frontier.budget_for(frontier.optimal_loss(budget)).value() ==
            Approx(budget).epsilon(1e-9));
    }
  }
}

TEST_CASE("the frontier agrees with the law at its own split") {
  const LawScenario scenario{.sparsity = 0.9, .visits = 4, .recurrent_share = 0.5};
  const LawPlan sparse = smelt::plan_budget(paper_law("smelt"), 1e20, scenario);
  CHECK(smelt::loss(paper_law("smelt"), {sparse.flops_per_token, 0.9, sparse.tokens}) ==
        Approx(sparse.loss).epsilon(1e-13));
  const LawPlan dense = smelt::plan_budget(refit(), 1e20, scenario);
  CHECK(smelt::loss(refit(), {dense.flops_per_token / 6, dense.tokens}) ==
        Approx(dense.loss).epsilon(1e-13));
  // F = 6 (N_once + 4 N_rec) with equal shares: N_once = N_rec = F / 30.
  const LawPlan looped = smelt::plan_budget(loop_law(0.46), 1e20, scenario);
  const double half = looped.flops_per_token / 30;
  CHECK(smelt::loss(loop_law(0.46), {half, half, 4, looped.tokens}) ==
        Approx(looped.loss).epsilon(1e-13));
}

TEST_CASE("a loop of phi 1 is a plain stack of the executed size, one of phi 0 the stored one") {
  CHECK(smelt::loss(loop_law(1), {1e8, 2e8, 4, 1e10}) == Approx(smelt::loss(refit(), {9e8, 1e10})));
  CHECK(smelt::loss(loop_law(0), {1e8, 2e8, 4, 1e10}) == Approx(smelt::loss(refit(), {3e8, 1e10})));
  const double once = smelt::loss(loop_law(0.46), {1e8, 2e8, 1, 1e10});
  CHECK(once == Approx(smelt::loss(refit(), {3e8, 1e10})));
}

TEST_CASE("the loop law's worked example: 410M looped is worth 580M unlooped and costs 1B") {
  // Width 2048, r = 4 (arXiv:2604.21106): 48 H^2 once with the inject matrix left out of the
  // equivalence, 48 H^2 recurrent.
  const double half = 48.0 * 2048 * 2048;
  CHECK(smelt::law_capacity(loop_law(0.46), {half, half, 4, 1e10}) ==
        Approx(582.3e6).epsilon(1e-3));
  CHECK(smelt::law_flops_per_token(LawForm::kLoop, {half, half, 4, 1e10}) / 6 ==
        Approx(1006.6e6).epsilon(1e-3));
}

TEST_CASE("a gain is the share of compute saved at equal loss, with either sign") {
  const Law target = paper_law("smelt");
  const Law reference = paper_law("baseline");
  for (const double budget : {1e19, 1e20, 1e22}) {
    const double gain =
        smelt::compute_gain(target, reference, budget, at_sparsity(0.95)).gain.value();
    const double reference_budget = budget / (1 - gain);
    CHECK(smelt::plan_budget(target, budget, at_sparsity(0.95)).loss ==
          Approx(smelt::plan_budget(reference, reference_budget, at_sparsity(0.95)).loss));
  }
  CHECK(smelt::compute_gain(reference, reference, 1e20, {}).gain.value() ==
        Approx(0).margin(1e-12));
  CHECK(smelt::compute_gain(reference, target, 1e21, at_sparsity(0.95)).gain.value() < 0);
}

TEST_CASE("a loss below the reference's floor has no gain, and says so") {
  Law better = refit();
  better[LawRole::kFloor] = 1.0;
  const smelt::LawGain gain = smelt::compute_gain(better, refit(), 1e25, {});
  CHECK_FALSE(gain.gain.has_value());
  CHECK(gain.extrapolated);
}

TEST_CASE("what lies outside the window is marked") {
  const Law law = paper_law("smelt");
  CHECK_FALSE(smelt::plan_budget(law, 1.3e19, at_sparsity(0.85)).extrapolated);
  CHECK(smelt::plan_budget(law, 1.2e19, at_sparsity(0.85)).extrapolated);
  CHECK(smelt::plan_budget(law, 1e20, at_sparsity(0.98)).extrapolated);
  CHECK(smelt::plan_budget(law, 1e20, at_sparsity(0)).extrapolated);
  CHECK_FALSE(smelt::is_extrapolated(law, {1e9, 0.9, 1e11}));
  CHECK(smelt::is_extrapolated(law, {1e9, 0.9, 1e13}));
  CHECK_FALSE(smelt::is_extrapolated(refit(), {1, 1}));
}

TEST_CASE("requests outside a law's domain are refused") {
  const Law law = paper_law("smelt");
  CHECK_THROWS_WITH(smelt::loss(law, {1e9, 1.0, 1e10}),
                    "sparsity: 1 is out of range (at least 0 and below 1)");
  CHECK_THROWS_WITH(smelt::loss(law, {0, 0.9, 1e10}),
                    "flops_per_token: 0 is out of range (above 0)");
  CHECK_THROWS_AS(smelt::loss(loop_law(0.5), {1e8, 1e8, 0.5, 1e10}), smelt::InputError);
  CHECK_THROWS_AS(smelt::plan_budget(law, -1, {}), smelt::InputError);
  CHECK_THROWS_AS(smelt::plan_budget(loop_law(0.5), 1e20, {.recurrent_share = 1.5}),
                  smelt::InputError);
  Law rising = refit();
  rising[LawRole::kDataExponent] = -0.1;
  CHECK_THROWS_WITH(smelt::plan_budget(rising, 1e20, {}),
                    "law 'refit': it has no compute-optimal split (both terms must fall: scales "
                    "and exponents above 0)");
  Law partial = loop_law(0.46);
  partial[LawRole::kFloor] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(smelt::is_complete(partial));
  CHECK_THROWS_WITH(smelt::plan_budget(partial, 1e20, {}),
                    "law 'refit': its source states no E (fit the form to runs of your own with "
                    "smelt law fit)");
}

TEST_CASE("forms are found by name") {
  CHECK(smelt::law_form_named("sparse", "--law").form == LawForm::kSparse);
  CHECK_THROWS_WITH(smelt::law_form_named("sparce", "--law"),
                    "--law: unknown form of law 'sparce' (did you mean 'sparse'?)");
  for (const smelt::LawFormInfo& info : smelt::law_forms()) {
    CHECK(smelt::law_form_info(info.form).name == info.name);
  }
}
