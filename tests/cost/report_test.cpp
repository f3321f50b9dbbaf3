// The requests of the commands: cost, compare, grid.
#include <cmath>
#include <string>

#include "catch.hpp"
#include "smelt/compare_report.hpp"
#include "smelt/cost_report.hpp"
#include "smelt/error.hpp"
#include "smelt/grid_report.hpp"

using smelt::Model;

namespace {

constexpr double kRounding = 1e-12;

Model stack(const std::string& name, const smelt::Ffn& ffn) {
  smelt::Layer layer;
  layer.attention = smelt::GroupedQueryAttention{10, 2, 128};
  layer.ffn = ffn;
  Model model = smelt::uniform_stack(1280, 12, layer);
  model.name = name;
  model.attended_keys = 392;
  return model;
}

/// The 200M Baseline with 192 experts: printed S 94.6.
Model moe() { return stack("moe", {3, 192, 8, 432, 0, 0, 0}); }
Model dense() { return stack("dense", {3, 0, 0, 0, 0, 0, 3456}); }
/// Well formed, and 3e22 expert weights.
Model absurd() {
  smelt::Layer layer;
  layer.attention = smelt::GroupedQueryAttention{10'000, 10, 100};
  layer.ffn = {3, 1'000'000, 8, 1'000'000, 0, 0, 0};
  Model model = smelt::uniform_stack(1'000'000, 10'000, layer);
  model.name = "absurd";
  model.attended_keys = 1000;
  return model;
}

template <typename Call>
std::string mistake(Call call) {
  try {
    call();
  } catch (const smelt::InputError& error) {
    return error.what();
  }
  return "no mistake";
}

}  // namespace

TEST_CASE("the default control is the model with E = k") {
  smelt::CostRequest request;
  request.model = moe();
  const smelt::CostResult result = smelt::evaluate_cost(request);
  CHECK(std::abs(result.sparsity - 0.946) < 5e-4);
  CHECK(result.control.name == "moe with E = k = 8");
  CHECK(result.kv_bytes_per_token == 2 * 2 * 256 * 12);
}

TEST_CASE("a fully active model and a dense one have no sparsity") {
  smelt::CostRequest request;
  request.model = smelt::fully_active(moe());
  CHECK(std::abs(smelt::evaluate_cost(request).sparsity) < 1e-15);
  request.model = dense();
  const smelt::CostResult result = smelt::evaluate_cost(request);
  CHECK(std::abs(result.sparsity) < 1e-15);
  CHECK(result.control.name == "dense itself (no routed experts)");
}

TEST_CASE("the default control keeps the loop") {
  smelt::CostRequest request;
  request.model = moe();
  smelt::apply_loop(request.model, {3, 6, 2});
  const smelt::CostResult result = smelt::evaluate_cost(request);
  CHECK(result.effective_layers == 18);
  Model control = request.model;
  for (smelt::Layer& layer : control.layers) layer.ffn.num_experts = 8;
  CHECK(result.control.figures.training_flops_per_token ==
        smelt::count_flops(control, request.convention).training_per_token);
}

TEST_CASE("controls by their figures") {
  const smelt::Control control = smelt::parse_control("params=205.5M,flops=1_362_973_832", "-c");
  CHECK(control.figures.training_flops_per_token == 1'362'973'832);
  CHECK(control.figures.non_embedding_params == 205'500'000);
  CHECK(control.name == "flops=1362973832,params=205500000");
  const struct {
    const char* text;
    const char* line;
  } cases[] = {
      {"flops=1", "-c: params is missing in 'flops=1' (flops=F,params=N)"},
      {"flops=1,parms=2", "-c: 'parms=2' is no figure of a control (flops=F,params=N)"},
      {"flops=0,params=2",
       "-c: flops: 0 is too small (a whole number from 1 to 9,000,000,000,000,000,000)"},
      {"flops=nan,params=2",
       "-c: flops: 'nan' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
  };
  for (const auto& c : cases) {
    CHECK(mistake([&] { smelt::parse_control(c.text, "-c"); }) == c.line);
  }
}

TEST_CASE("compare measures every model against the Baseline's control") {
  smelt::CompareRequest request;
  request.baseline = moe();
  request.models = {moe(), dense()};
  const smelt::CompareResult result = smelt::compare(request);
  CHECK(result.baseline.deviation.max_abs() == 0);
  CHECK(result.rows[0].deviation.max_abs() == 0);
  CHECK(result.rows[0].sparsity == result.baseline.sparsity);
  // As wide as the chosen experts together: the same FLOPs but for 6 H E L of router.
  CHECK(std::abs(result.rows[1].deviation.flops -
                 -6.0 * 1280 * 192 * 12 /
                     result.baseline.budget.training_flops_per_token.to_double()) < kRounding);
  CHECK(result.rows[1].deviation.kv == 0);
}

TEST_CASE("a cache shared by the visits brings a looped model back to the Baseline's KV") {
  smelt::CompareRequest request;
  request.baseline = moe();
  request.models = {moe()};
  smelt::apply_loop(request.models[0], {3, 6, 2});
  CHECK(std::abs(smelt::compare(request).rows[0].deviation.kv - 0.5) < kRounding);
  request.models[0].loop.kv = smelt::KvPolicy::kShared;
  CHECK(smelt::compare(request).rows[0].deviation.kv == 0);
}

TEST_CASE("a count that passes 64 bits names the model") {
  const std::string line =
      "absurd: a count passes 9.2e18, the largest 64-bit integer (smaller dimensions)";
  smelt::CostRequest cost;
  cost.model = absurd();
  CHECK(mistake([&] { smelt::evaluate_cost(cost); }) == line);
  smelt::CompareRequest compare;
  compare.baseline = moe();
  compare.models = {absurd()};
  CHECK(mistake([&] { smelt::compare(compare); }) == line);
}

TEST_CASE("a model without attended keys is told so by name") {
  smelt::CostRequest request;
  request.model = moe();
  request.model.attended_keys.reset();
  CHECK(
      mistake([&] { smelt::evaluate_cost(request); }) ==
      "moe: /attended_keys: the model names no attended keys (give --attended-keys N, --doc-len T "
      "or --seq-len S)");
  request.convention = smelt::convention_named("6n", "");
  CHECK(smelt::evaluate_cost(request).flops.training_components[smelt::Component::kScores] == 0);
}

TEST_CASE("a grid takes the worst deviation of its cells, and each cell its control") {
  smelt::GridRequest request;
  request.baselines = {moe()};
  Model wider = moe();
  wider.name = "wider";
  for (smelt::Layer& layer : wider.layers)
    layer.attention = smelt::GroupedQueryAttention{10, 5, 128};
  const smelt::Control own = smelt::figures_control({1'362'973'832, 205'500'000});
  request.cells = {{"moe", wider, std::nullopt}, {"moe", moe(), own}};
  const smelt::GridResult result = smelt::evaluate_grid(request);
  CHECK(std::abs(result.worst.kv - 1.5) < kRounding);
  CHECK(result.worst.flops == result.rows[0].deviation.flops);
  CHECK(result.rows[0].control.name == "moe with E = k = 8");
  CHECK(result.rows[1].control.name == own.name);
  CHECK_FALSE(result.rows[0].own_control);
  CHECK(result.rows[1].own_control);

  request.cells = {{"mo", moe(), std::nullopt}};
  CHECK(mistake([&] { smelt::evaluate_grid(request); }) ==
        "moe: no Baseline 'mo' in this grid (did you mean 'moe'?)");
}
