#include "smelt/bench.hpp"

#include <cmath>
#include <numeric>

#include "bench/bench_shape.hpp"
#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/error.hpp"

namespace smelt {
namespace {

Model model_of(std::int64_t hidden, Ffn ffn, const char* loop, const char* name) {
  Model model = uniform_stack(hidden, 4, {GroupedQueryAttention{4, 2, 8}, ffn, 2, 1, {}},
                              parse_loop(loop, 4, ""));
  model.attended_keys = 20;
  model.name = name;
  return model;
}

BenchOptions quick() {
  BenchOptions options;
  options.tokens = 64;
  options.threads = 2;
  options.sampling = {1, 4, 0, 1, 1};
  return options;
}

TEST_CASE("a benchmark keeps every sample and adds up") {
  const Model baseline = model_of(32, {3, 8, 2, 24}, "none", "plain");
  const Model looped = model_of(24, {3, 12, 2, 16}, "1/2x2", "looped");
  const BenchResult result = run_bench({baseline, looped}, quick());
  CHECK(result.machine.backend == "cpu");
  CHECK(result.machine.precision == "fp32");
  CHECK(result.ceilings.flops_per_s > 0);
  REQUIRE(result.models.size() == 2);
  REQUIRE(result.ratios.size() == 1);
  CHECK(result.models[0].executed_layers == 4);
  CHECK(result.models[1].executed_layers == 6);
  for (const BenchModel& model : result.models) {
    REQUIRE(model.samples.size() >= 4);
    CHECK(model.samples.size() % 2 == 0);
    for (std::size_t i = 0; i < model.samples.size(); ++i) {
      double sum = 0;
      for (const BenchOperator& op : model.operators) sum += op.samples.at(i);
      CHECK(std::abs(sum / model.samples[i] - 1) < 1e-9);
    }
    for (const BenchOperator& op : model.operators) {
      CHECK(op.ideal_s > 0);
      CHECK(op.predicted_s > 0);
      CHECK(op.measured.p10 <= op.measured.median);
      CHECK(op.measured.median <= op.measured.p90);
    }
  }
}

TEST_CASE("the layer's operators are the model's, token for token") {
  // Documents of 39 tokens have 20 mean keys; 39 tokens hold one of them.
  BenchOptions options = quick();
  options.tokens = 39;
  const Model model = model_of(32, {3, 8, 2, 24}, "none", "plain");
  const LayerShape shape = bench_shape(model, options);
  CHECK(shape.document == 39);
  Count flops;
  for (const Operator& op : step_operators(shape, expert_rows({}, 39, 2, 8), 4)) flops += op.flops;
  CHECK(flops * 4 == count_flops(model, convention_named("matmul", "")).training_per_token * 39);
}

TEST_CASE("a reduction keeps the rows of an expert") {
  BenchOptions options;
  options.tokens = 2080;
  options.reduction = 4;
  const LayerShape shape = bench_shape(model_of(32, {3, 64, 8, 24}, "none", "m"), options);
  CHECK(shape.tokens == 520);
  CHECK(shape.num_experts == 16);
  CHECK(shape.slots() / shape.num_experts == 260);
  options.reduction = 100;
  CHECK(bench_shape(model_of(32, {3, 64, 8, 24}, "none", "m"), options).num_experts == 8);
}

TEST_CASE("what cannot be timed is refused with its reason") {
  const auto refused = [](const Model& model) {
    try {
      bench_shape(model, quick());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(model_of(32, {3, 0, 0, 0, 0, 0, 64}, "none", "dense")) ==
        "dense: its FFN is not routed experts alone (bench times routed experts without shared or "
        "dense ones)");
  CHECK(refused(model_of(32, {2, 8, 2, 24}, "none", "plain")) ==
        "plain: its experts have no gate (bench times gated experts)");
  Model mixed = model_of(32, {3, 8, 2, 24}, "none", "mixed");
  mixed.layers[1].ffn.num_experts = 16;
  CHECK(refused(mixed) == "mixed: its layers differ (bench times a uniform stack)");
}

}  // namespace
}  // namespace smelt
