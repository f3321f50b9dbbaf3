#include "match/oracle.hpp"

#include <cstdint>
#include <random>
#include <vector>

#include "catch.hpp"
#include "smelt/match.hpp"

namespace {

using namespace smelt;
using smelt::testing::Oracle;
using smelt::testing::Shape;

/// Draws small match problems of every kind: dense, routed, shared experts, plain FFN, any loop,
/// progressions and lists, tight and loose tolerances.
class ProblemSource {
 public:
  explicit ProblemSource(std::uint32_t seed) : engine_(seed) {}

  MatchProblem next() {
    MatchProblem problem;
    problem.baseline = baseline();
    problem.num_layers = from(1, 8);
    if (chance(4, 5)) {
      const std::int64_t start = from(0, problem.num_layers - 1);
      problem.loop = LoopSpan{start, from(1, problem.num_layers - start), from(1, 4)};
    }
    problem.rules = rules(problem.baseline);
    problem.convention = conventions()[static_cast<std::size_t>(0)];
    problem.objective = static_cast<Objective>(from(0, 2));
    problem.top = from(1, 5);
    return problem;
  }

 private:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t of, std::int64_t in) { return from(1, in) <= of; }

  Model baseline() {
    Layer layer;
    const std::int64_t head_dim = 4 * from(1, 6);
    const std::int64_t kv_heads = from(1, 3);
    const std::int64_t heads = kv_heads * from(1, 4);
    layer.attention = GroupedQueryAttention{heads, kv_heads, head_dim};
    layer.ffn.matrices = from(2, 3);
    if (chance(3, 4)) {
      layer.ffn.num_experts_per_tok = from(1, 3);
      layer.ffn.num_experts = layer.ffn.num_experts_per_tok + from(0, 12);
      layer.ffn.expert_width = from(4, 64);
      if (chance(1, 3)) {
        layer.ffn.num_shared_experts = from(1, 2);
        layer.ffn.shared_expert_width =
            chance(1, 2) ? layer.ffn.expert_width * from(1, 2) : from(1, 100);
      }
    } else {
      layer.ffn.dense_width = from(16, 200);
    }
    Model model = uniform_stack(heads * head_dim, from(1, 8), layer);
    model.attended_keys = Rational(from(1, 800), 2);
    return model;
  }

  Axis progression(std::int64_t low, std::int64_t high, std::int64_t step) {
    return {low, high, step, {}};
  }

  Axis list(std::int64_t low, std::int64_t high) {
    Axis axis;
    for (std::int64_t v = low; v <= high; v += from(1, 9)) axis.values.push_back(v);
    return axis;
  }

  Rules rules(const Model& model) {
    const Ffn& ffn = model.layers.front().ffn;
    const std::int64_t width = ffn.num_experts > 0 ? ffn.expert_width : ffn.dense_width;
    Rules rules;
    rules.hidden_size = progression(8, model.hidden_size * (chance(1, 4) ? 2 : 1), from(1, 4) * 4);
    rules.num_experts = chance(1, 4) ? list(ffn.num_experts_per_tok, 30)
                                     : progression(ffn.num_experts_per_tok, 30, from(1, 3));
    rules.moe_intermediate_size =
        chance(1, 4) ? list(1, 2 * width) : progression(1, 2 * width, from(1, 4));
    if (chance(3, 4)) rules.head_dim = progression(2, 32, from(1, 2) * 2);
    if (chance(1, 3)) rules.num_key_value_heads = progression(1, 3, 1);
    if (chance(1, 2)) rules.ffn_ratio.lowest = Rational(from(1, 10), 10);
    if (chance(1, 2)) rules.ffn_ratio.highest = Rational(from(10, 25), 10);
    rules.query_width_is_hidden = chance(3, 4);
    if (chance(1, 2)) rules.query_ratio.lowest = Rational(from(1, 10), 10);
    if (chance(1, 2)) rules.query_ratio.highest = Rational(from(10, 30), 10);
    const std::int64_t loosest = chance(1, 4) ? 3 : 20;
    rules.tolerance = {Rational(from(1, loosest), 100), Rational(from(1, loosest), 100),
                       Rational(from(1, loosest), 100)};
    return rules;
  }

  std::mt19937 engine_;
};

bool same(const Candidate& candidate, const Oracle::Point& point) {
  const Shape& s = point.shape;
  const Dimensions dimensions{s.h, s.e, s.f, HeadGeometry{s.q, s.g, s.d}, std::nullopt};
  return candidate.dimensions == dimensions &&
         candidate.budget.training_flops_per_token == point.budget[0] &&
         candidate.budget.non_embedding_params == point.budget[1] &&
         candidate.budget.kv_elements_per_token == point.budget[2];
}

}  // namespace

TEST_CASE("the solver returns what brute force finds on random small problems") {
  ProblemSource source(20260901);
  int feasible = 0;
  int infeasible = 0;
  for (int i = 0; i < 1000; ++i) {
    const MatchProblem problem = source.next();
    const Layer& layer = problem.baseline.layers.front();
    INFO("problem " << i << ": H " << problem.baseline.hidden_size << ", E "
                    << layer.ffn.num_experts << ", F " << layer.ffn.expert_width << "/"
                    << layer.ffn.dense_width << ", shared " << layer.ffn.num_shared_experts << " x "
                    << layer.ffn.shared_expert_width << ", L " << problem.baseline.num_layers()
                    << " to " << problem.num_layers);
    Oracle oracle(problem);
    oracle.run();
    if (oracle.grid_points == 0) continue;
    const MatchResult result = solve(problem);
    REQUIRE(result.baseline.training_flops_per_token.value() == oracle.baseline()[0]);
    REQUIRE(result.certificate.grid_points.value() == oracle.grid_points);
    REQUIRE(result.certificate.feasible.value() == std::ssize(oracle.feasible));
    REQUIRE(std::ssize(result.candidates) ==
            std::min<std::int64_t>(problem.top, std::ssize(oracle.feasible)));
    for (std::size_t k = 0; k < result.candidates.size(); ++k) {
      INFO("candidate " << k);
      REQUIRE(same(result.candidates[k], oracle.feasible[k]));
    }
    (result.feasible() ? feasible : infeasible) += 1;
  }
  CHECK(feasible >= 200);
  CHECK(infeasible >= 200);
}
