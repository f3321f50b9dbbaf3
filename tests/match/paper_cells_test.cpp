// The twelve sparse cells of the paper under the `paper` rules. Feasible counts, best designs and
// ranks come from an exhaustive search in exact fractions by another program.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "match/problems.hpp"
#include "smelt/match.hpp"
#include "smelt/numbers.hpp"

namespace {

using namespace smelt;
using smelt::testing::design;
using smelt::testing::middle_half_twice;
using smelt::testing::moe_stack;
using smelt::testing::paper_rules;

struct Scale {
  std::int64_t hidden, layers, ffn, head_dim;
};
constexpr Scale k100M = {672, 10, 544, 112};
constexpr Scale k200M = {1280, 12, 432, 128};
constexpr Scale k600M = {1792, 20, 600, 128};
constexpr Scale k1600M = {2304, 30, 768, 128};

struct Cell {
  const char* name;
  Scale scale;
  std::int64_t experts;
  Dimensions published;
};
const Cell kCells[] = {
    {"100M, 64", k100M, 64, design(576, 96, 424, 8, 2, 72)},
    {"100M, 192", k100M, 192, design(576, 288, 424, 8, 2, 72)},
    {"100M, 336", k100M, 336, design(576, 504, 424, 8, 2, 72)},
    {"200M, 64", k200M, 64, design(1056, 96, 352, 12, 2, 88)},
    {"200M, 192", k200M, 192, design(1056, 288, 352, 12, 2, 88)},
    {"200M, 336", k200M, 336, design(1056, 504, 352, 12, 2, 88)},
    {"600M, 64", k600M, 64, design(1408, 96, 520, 16, 2, 88)},
    {"600M, 192", k600M, 192, design(1512, 288, 472, 18, 2, 84)},
    {"600M, 336", k600M, 336, design(1512, 504, 472, 18, 2, 84)},
    {"1.6B, 64", k1600M, 64, design(1848, 96, 640, 22, 2, 84)},
    {"1.6B, 192", k1600M, 192, design(1848, 288, 640, 22, 2, 84)},
    {"1.6B, 336", k1600M, 336, design(1848, 504, 640, 22, 2, 84)},
};

MatchResult solve_cell(const Cell& cell) {
  MatchProblem problem =
      middle_half_twice(moe_stack(cell.scale.hidden, cell.scale.layers, cell.experts,
                                  cell.scale.ffn, 2, cell.scale.head_dim),
                        paper_rules());
  problem.top = 1000;
  return solve(problem);
}

std::int64_t rank_of(const Dimensions& design, const MatchResult& result) {
  const auto at = std::find_if(result.candidates.begin(), result.candidates.end(),
                               [&](const Candidate& c) { return c.dimensions == design; });
  return at == result.candidates.end() ? 0 : at - result.candidates.begin() + 1;
}

}  // namespace

TEST_CASE("best designs, feasible counts and ranks of five cells") {
  struct Row {
    std::size_t cell;
    std::int64_t feasible;
    Dimensions best;
    double flops, params, kv;  // per cent
    std::int64_t published_rank;
  };
  const Row rows[] = {
      {0, 1, design(576, 96, 424, 8, 2, 72), 2.362, -0.301, -3.571, 1},
      {4, 5, design(1008, 288, 368, 12, 2, 84), 0.428, 0.147, -1.562, 5},
      {6, 4, design(1512, 104, 440, 18, 2, 84), -3.112, -0.509, -1.562, 4},
      {10, 16, design(1848, 288, 640, 22, 2, 84), 0.380, -0.155, -1.562, 1},
      {11, 30, design(1848, 512, 632, 22, 2, 84), -0.050, 0.342, -1.562, 2},
  };
  for (const Row& row : rows) {
    INFO(kCells[row.cell].name);
    const MatchResult result = solve_cell(kCells[row.cell]);
    CHECK(result.certificate.feasible == row.feasible);
    REQUIRE(result.feasible());
    CHECK(result.candidates.front().dimensions == row.best);
    const Deviation& deviation = result.candidates.front().deviation;
    CHECK(std::abs(100 * deviation.flops - row.flops) < 0.00051);
    CHECK(std::abs(100 * deviation.params - row.params) < 0.00051);
    CHECK(std::abs(100 * deviation.kv - row.kv) < 0.00051);
    CHECK(rank_of(kCells[row.cell].published, result) == row.published_rank);
  }
}

TEST_CASE("the published design is feasible in all twelve cells and first in three") {
  std::vector<std::string> first;
  for (const Cell& cell : kCells) {
    INFO(cell.name);
    const MatchResult result = solve_cell(cell);
    const std::int64_t rank = rank_of(cell.published, result);
    CHECK(rank >= 1);
    if (rank == 1) first.emplace_back(cell.name);
  }
  CHECK(first == std::vector<std::string>{"100M, 64", "1.6B, 64", "1.6B, 192"});
}

TEST_CASE("every candidate costed anew keeps its counts and its tolerances") {
  for (const Cell& cell : kCells) {
    INFO(cell.name);
    MatchProblem problem =
        middle_half_twice(moe_stack(cell.scale.hidden, cell.scale.layers, cell.experts,
                                    cell.scale.ffn, 2, cell.scale.head_dim),
                          paper_rules());
    problem.top = 1000;
    for (const Candidate& candidate : solve(problem).candidates) {
      const Budget again =
          budget_of(build_model(problem, candidate.dimensions), problem.convention);
      CHECK(again == candidate.budget);
      CHECK(std::abs(candidate.deviation.flops) <= 0.04);
      CHECK(std::abs(candidate.deviation.params) <= 0.01);
      CHECK(std::abs(candidate.deviation.kv) <= 0.04);
    }
  }
}

TEST_CASE("an infeasible problem names the nearest points and what would admit one") {
  // The KV cache moves in steps here: the nearest design, (1008, 288, 368) at -1.5625 %, is the one
  // that the wider tolerance of the paper admits.
  Rules rules = paper_rules();
  rules.tolerance.kv = Rational(1, 100);
  const MatchProblem problem = middle_half_twice(moe_stack(1280, 12, 192, 432, 2, 128), rules);
  const MatchResult result = solve(problem);
  CHECK_FALSE(result.feasible());
  CHECK(result.certificate.feasible == 0);
  REQUIRE(result.nearest.size() == 1);
  CHECK(result.nearest.front().dimensions == design(1008, 288, 368, 12, 2, 84));
  const auto kv = std::find_if(result.relaxations.begin(), result.relaxations.end(),
                               [](const Relaxation& r) { return r.rule == "tolerance/kv"; });
  REQUIRE(kv != result.relaxations.end());
  CHECK(kv->from == "1%");
  CHECK(kv->to == "1.57%");
  CHECK(kv->candidate.dimensions == design(1008, 288, 368, 12, 2, 84));
  MatchProblem without = problem;
  without.find_relaxations = false;
  const MatchResult nearest_only = solve(without);
  REQUIRE(nearest_only.nearest.size() == 1);
  CHECK(nearest_only.nearest.front().dimensions == result.nearest.front().dimensions);
  CHECK(nearest_only.relaxations.empty());
}

TEST_CASE("each relaxation, applied alone, makes the problem feasible") {
  Rules rules = paper_rules();
  rules.tolerance.kv = Rational(1, 100);
  MatchProblem problem = middle_half_twice(moe_stack(1280, 12, 192, 432, 2, 128), rules);
  for (const Relaxation& relaxation : solve(problem).relaxations) {
    INFO(relaxation.rule << " from " << relaxation.from << " to " << relaxation.to);
    problem.rules = rules;
    if (relaxation.rule == "tolerance/kv") {
      problem.rules.tolerance.kv = parse_fraction(relaxation.to, "");
    } else if (relaxation.rule == "head_dim/multiple_of") {
      problem.rules.head_dim.multiple_of = parse_count(relaxation.to, "");
    } else if (relaxation.rule == "ffn_ratio/max") {
      problem.rules.ffn_ratio.highest = parse_fraction(relaxation.to, "");
    } else if (relaxation.rule == "ffn_ratio/min") {
      problem.rules.ffn_ratio.lowest = parse_fraction(relaxation.to, "");
    } else if (relaxation.rule == "query_width") {
      problem.rules.query_width_is_hidden = false;
    } else if (relaxation.rule == "hidden_size/multiple_of") {
      problem.rules.hidden_size.multiple_of = parse_count(relaxation.to, "");
    } else if (relaxation.rule == "num_key_value_heads/max") {
      problem.rules.num_key_value_heads.lowest = 2;
      problem.rules.num_key_value_heads.highest = parse_count(relaxation.to, "");
    } else if (relaxation.rule == "num_key_value_heads/min") {
      problem.rules.num_key_value_heads.highest = 2;
      problem.rules.num_key_value_heads.lowest = parse_count(relaxation.to, "");
    } else {
      FAIL("a kind of relaxation that this test does not know");
    }
    CHECK(solve(problem).feasible());
  }
}
