#include "smelt/grid_file.hpp"

#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "io/scratch_folder.hpp"

using smelt::Grid;

namespace {

Grid read(const std::string& text) { return smelt::read_grid(smelt::parse_json(text)); }

}  // namespace

TEST_CASE("a ladder of one's own says how its rows are solved for") {
  const Grid grid = read(R"({"name": "mine", "match": {"loop": "1/2x2", "rules": "fine"},
      "rows": [{"scale": "tiny", "level": "S50", "baseline": "baseline-100m-s85"}]})");
  REQUIRE(grid.match.has_value());
  CHECK(grid.match->loop == "1/2x2");
  CHECK(grid.match->rules == "fine");
  REQUIRE(grid.rows.size() == 1);
  CHECK(grid.rows[0].scale == "tiny");
  CHECK_FALSE(grid.rows[0].matched.has_value());
  CHECK_FALSE(grid.rows[0].control.has_value());
}

TEST_CASE("printed figures keep their digits") {
  const Grid grid = read(R"({"rows": [{"scale": "a", "level": "b", "baseline": "c", "published":
      {"baseline": {"hidden_size": 672, "num_experts": 8, "active_params_billion": 0.100,
                    "total_params_billion": 0.10, "sparsity_percent": 0.0}}}]})");
  const auto& published = grid.rows[0].published_baseline;
  REQUIRE(published.has_value());
  CHECK(published->active_params_billion == "0.100");
  CHECK(published->total_params_billion == "0.10");
  CHECK(published->sparsity_percent == "0.0");
  CHECK_FALSE(published->flops_ratio.has_value());
  CHECK_FALSE(grid.rows[0].published_matched.has_value());
}

TEST_CASE("every mistake of a grid file has its one line") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"{}", "/rows: is missing"},
      {R"({"rows": {}})", "/rows: is an object, not an array"},
      {R"({"rows": []})", "/rows: is an empty list (at least one row)"},
      {R"({"rows": [7]})", "/rows/0: is a number, not an object ({\"key\": ...})"},
      {R"({"rows": [{"scale": "a", "level": "b"}]})", "/rows/0/baseline: is missing"},
      {R"({"rows": [{"scale": "a", "level": "b", "baselin": "c"}]})",
       "/rows/0/baselin: unknown key (did you mean 'baseline'?)"},
      {R"({"rows": [{"scale": "a", "level": "b", "baseline": "c", "matched": null}]})",
       "/rows/0/matched: is null, not a string"},
      {R"({"rows": [{"scale": "a", "level": "b", "baseline": "c",
           "control": {"training_flops_per_token": 0}}]})",
       "/rows/0/control/training_flops_per_token: 0 is too small (a whole number from 1 to "
       "9,000,000,000,000,000,000)\n/rows/0/control/non_embedding_params: is missing"},
      {R"({"rows": [{"scale": "a", "level": "b", "baseline": "c"}], "match": {"loop": "none"}})",
       "/match/rules: is missing"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(failure([&] { read(c.text); }) == c.message);
  }
}

TEST_CASE("paths in a grid file start from its folder, preset names stay") {
  const ScratchFolder folder("grid-file");
  const auto file = folder.write("ladder.json",
                                 R"({"match": {"loop": "1/2x2", "rules": "own.json"}, "rows": [
      {"scale": "a", "level": "b", "baseline": "models/a.json", "matched": "smelt-200m-s95"},
      {"scale": "a", "level": "c", "baseline": "/models/a.json"}]})");
  const Grid grid = smelt::read_grid_file(file);
  CHECK(grid.name == "ladder");
  CHECK(grid.rows[0].baseline == (folder.path() / "models/a.json").string());
  CHECK(grid.rows[0].matched == "smelt-200m-s95");
  CHECK(grid.rows[1].baseline == "/models/a.json");
  CHECK(grid.match->rules == (folder.path() / "own.json").string());
}
