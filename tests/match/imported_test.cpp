// Published models as Baselines: their layers' pattern stays, their sizes move.
#include <string>

#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/match.hpp"
#include "smelt/model_file.hpp"
#include "smelt/rules_file.hpp"

using namespace smelt;

namespace {

MatchProblem problem_of(const std::string& model, const LoopSpan& loop, const std::string& rules) {
  MatchProblem problem;
  problem.baseline = read_model_file(SMELT_TEST_DATA "/models/" + model + ".config.json");
  problem.baseline.sequence_length = 4096;
  problem.num_layers = problem.baseline.num_layers();
  problem.loop = loop;
  problem.rules = read_rules_file(SMELT_TEST_DATA "/../../presets/rules/" + rules + ".json");
  problem.convention = conventions().front();
  return problem;
}

/// The best design, costed anew and held against the tolerances.
Model best_design(const MatchProblem& problem) {
  const MatchResult result = solve(problem);
  REQUIRE(result.feasible());
  Model design = build_model(problem, result.candidates.front().dimensions);
  const Deviation off = deviation(budget_of(design, problem.convention),
                                  budget_of(problem.baseline, problem.convention));
  CHECK(std::abs(off.flops) <= problem.rules.tolerance.flops.to_double());
  CHECK(std::abs(off.params) <= problem.rules.tolerance.params.to_double());
  CHECK(std::abs(off.kv) <= problem.rules.tolerance.kv.to_double());
  return design;
}

}  // namespace

TEST_CASE("latent ranks move with the rest, and dense first layers stay dense") {
  const Model design = best_design(problem_of("deepseek-v3", {15, 30, 2}, "tensor-core"));
  for (std::int64_t i = 0; i < 61; ++i) {
    const Layer& layer = design.layers[static_cast<std::size_t>(i)];
    const auto& attention = std::get<LatentAttention>(layer.attention);
    CHECK(attention.kv_lora_rank % 64 == 0);
    CHECK(attention.kv_lora_rank < 512);
    CHECK((layer.ffn.num_experts == 0) == (i < 3));
    CHECK(layer.visits == (i >= 15 && i < 45 ? 2 : 1));
  }
}

TEST_CASE("chunks and windows stay in the layers that have them") {
  struct Case {
    const char* model;
    LoopSpan loop;
  };
  for (const Case& c : {Case{"llama-4-scout", {12, 12, 2}}, Case{"gpt-oss-120b", {12, 12, 2}},
                        Case{"qwen3-next-80b-a3b", {12, 24, 2}}}) {
    INFO(c.model);
    const MatchProblem problem = problem_of(c.model, c.loop, "fine");
    const Model design = best_design(problem);
    for (std::size_t i = 0; i < design.layers.size(); ++i) {
      const Layer& own = problem.baseline.layers[i];
      CHECK(design.layers[i].window == own.window);
      CHECK(design.layers[i].attention.index() == own.attention.index());
    }
  }
}

// The fold of 48 layers into 24 x 2 with everything but the number of experts fixed.
TEST_CASE("the fold of Qwen3-30B-A3B comes out of the search") {
  MatchProblem problem = problem_of("qwen3-30b-a3b", {0, 24, 2}, "paper");
  problem.num_layers = 24;
  problem.convention = convention_named("maxtext", "");
  const Tolerance tolerance = problem.rules.tolerance;
  problem.rules = {};  // H and the heads at the Baseline's own
  problem.rules.tolerance = tolerance;
  problem.rules.num_experts = {8, 512, 1, {}};
  problem.rules.moe_intermediate_size = {768, 768, 1, {}};
  problem.rules.query_width_is_hidden = false;
  problem.rules.query_ratio = {Rational(1), Rational(1)};
  const MatchResult result = solve(problem);
  REQUIRE(result.feasible());
  const Candidate& best = result.candidates.front();
  CHECK(best.dimensions.num_experts == 260);
  CHECK(best.budget.training_flops_per_token.value() == 23'159'635'968);
  CHECK(best.budget.non_embedding_params.value() == 29'909'884'928);
  CHECK(best.deviation.kv == 0);
}
