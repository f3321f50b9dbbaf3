#include "smelt/sweep.hpp"

#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"
#include "smelt/rules_file.hpp"
#include "smelt/text_file.hpp"

using namespace smelt;

namespace {

SweepRequest request_for(const std::string& baseline, SweepAxis axis) {
  const std::string presets = SMELT_TEST_DATA "/../../presets/";
  SweepRequest request;
  request.problem.baseline = read_model_file(presets + "models/" + baseline + ".json");
  request.problem.num_layers = request.problem.baseline.num_layers();
  request.problem.loop = parse_loop("1/2x2", request.problem.num_layers, "loop");
  request.problem.rules = read_rules_file(presets + "rules/paper.json");
  request.problem.convention = conventions().front();
  request.axis = axis;
  return request;
}

struct Ablation {
  const char* baseline;
  SweepAxis axis;
  const char* table;
  const char* rows;
  std::size_t effective_column;
  std::size_t loss_column;
};

}  // namespace

TEST_CASE("the paper's ablations: executed layers and the lowest loss, as published") {
  const Ablation ablations[] = {
      {"baseline-200m-s85", SweepAxis::kSpan, "loop_span_200M_L12", "S85", 2, 3},
      {"baseline-200m-s95", SweepAxis::kSpan, "loop_span_200M_L12", "S95", 2, 3},
      {"baseline-200m-s85", SweepAxis::kDepth, "depth_200M_S85_span50", "looped", 1, 2},
      {"baseline-200m-s85", SweepAxis::kVisits, "visits_200M_S85_span50", "rows", 1, 2},
  };
  const JsonValue tables = read_json_file(SMELT_TEST_DATA "/paper-tables.json");
  for (const Ablation& ablation : ablations) {
    INFO(ablation.table << " " << ablation.rows);
    const JsonValue::Array& published =
        *tables.find("ablations")->find(ablation.table)->find(ablation.rows)->if_array();
    const auto cell = [&](std::size_t row, std::size_t column) {
      return parse_real(*published[row].if_array()->at(column).if_number(), "");
    };
    SweepRequest request = request_for(ablation.baseline, ablation.axis);
    std::size_t lowest = 0;
    for (std::size_t row = 0; row < published.size(); ++row) {
      request.values.push_back(static_cast<std::int64_t>(cell(row, 0)));
      request.losses.emplace_back(cell(row, ablation.loss_column));
      if (cell(row, ablation.loss_column) < cell(lowest, ablation.loss_column)) lowest = row;
    }
    const SweepResult result = sweep(request);
    REQUIRE(result.rows.size() == published.size());
    for (std::size_t row = 0; row < published.size(); ++row) {
      CHECK(static_cast<double>(result.rows[row].effective_layers) ==
            cell(row, ablation.effective_column));
      CHECK(effective_layers(result.rows[row].design.model) == result.rows[row].effective_layers);
      CHECK(result.rows[row].lowest_loss == (row == lowest));
      const Deviation& off = result.rows[row].design.deviation;
      const bool within =
          std::abs(off.flops) <= 0.04 && std::abs(off.params) <= 0.01 && std::abs(off.kv) <= 0.04;
      CHECK(result.rows[row].feasible == within);
    }
  }
}

TEST_CASE("without a loop the Baseline matches itself") {
  for (const auto& [axis, value] : {std::pair{SweepAxis::kSpan, 0}, {SweepAxis::kVisits, 1}}) {
    SweepRequest request = request_for("baseline-200m-s85", axis);
    request.values = {value};
    const SweepRow row = sweep(request).rows.at(0);
    CHECK(row.feasible);
    CHECK(row.design.deviation.max_abs() == 0);
    CHECK(row.design.model.hidden_size == 1280);
  }
}

TEST_CASE("what an axis moves, and what it leaves") {
  struct Case {
    SweepAxis axis;
    std::int64_t value;
    std::int64_t num_layers;
    std::optional<LoopSpan> loop;
  };
  const Case cases[] = {
      {SweepAxis::kSpan, 4, 12, LoopSpan{4, 4, 2}},
      {SweepAxis::kSpan, 5, 12, LoopSpan{3, 5, 2}},
      {SweepAxis::kSpan, 12, 12, LoopSpan{0, 12, 2}},
      {SweepAxis::kDepth, 10, 10, LoopSpan{2, 5, 2}},
      {SweepAxis::kDepth, 14, 14, LoopSpan{3, 7, 2}},
      {SweepAxis::kVisits, 3, 12, LoopSpan{3, 6, 3}},
      {SweepAxis::kPosition, 1, 12, LoopSpan{0, 6, 2}},
      {SweepAxis::kPosition, 7, 12, LoopSpan{6, 6, 2}},
      {SweepAxis::kExperts, 96, 12, LoopSpan{3, 6, 2}},
  };
  const MatchProblem problem = request_for("baseline-200m-s85", SweepAxis::kSpan).problem;
  for (const Case& c : cases) {
    INFO(sweep_axis_name(c.axis) << " " << c.value);
    const MatchProblem at = problem_at(problem, c.axis, c.value);
    CHECK(at.num_layers == c.num_layers);
    CHECK(at.loop == c.loop);
    const bool experts = c.axis == SweepAxis::kExperts;
    CHECK((at.rules.num_experts.values == std::vector<std::int64_t>{c.value}) == experts);
  }
}

TEST_CASE("values that the stack does not have") {
  const MatchProblem problem = request_for("baseline-200m-s85", SweepAxis::kSpan).problem;
  const auto failure_at = [&](SweepAxis axis, std::int64_t value) {
    return failure([&] { problem_at(problem, axis, value); });
  };
  CHECK(failure_at(SweepAxis::kSpan, 13) == "span: 13 is out of range (0 to 12)");
  CHECK(failure_at(SweepAxis::kPosition, 8) == "position: 8 is out of range (1 to 7)");
  CHECK(failure_at(SweepAxis::kVisits, 0) == "visits: 0 is out of range (1 to 1000000)");
  CHECK(failure_at(SweepAxis::kDepth, 9) ==
        "depth: 6 of 12 layers is no whole number of them in a stack of 9 (depths that the loop's "
        "share divides)");
}
