#include "smelt/presets.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "io/scratch_folder.hpp"
#include "smelt/cost.hpp"
#include "smelt/error.hpp"
#include "smelt/model_file.hpp"
#include "smelt/text_file.hpp"

using smelt::GridRow;
using smelt::JsonValue;
using smelt::Model;
using smelt::PresetKind;
using smelt::Presets;
using smelt::Rational;
using smelt::Rules;

namespace {

const std::string kShipped = SMELT_TEST_DATA "/../../presets";
const Presets& shipped() {
  static const Presets presets({kShipped});
  return presets;
}

/// The paper's tables, read from the copy of its figures and not from the presets.
const JsonValue& paper() {
  static const JsonValue tables = smelt::read_json_file(SMELT_TEST_DATA "/paper-tables.json");
  return tables;
}

double number(const JsonValue& row, const char* key) {
  return std::stod(*row.find(key)->if_number());
}

std::string text(const JsonValue& row, const char* key) { return *row.find(key)->if_string(); }

/// A figure at a number of printed digits.
std::string printed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

/// "baseline-200m-s95": the scale in lower case and the nominal level of the table's row.
std::string preset_name(const std::string& family, const JsonValue& row, std::size_t index) {
  static const char* const kLevels[] = {"s0", "s85", "s95", "s97"};
  std::string scale = text(row, "scale");
  for (char& c : scale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return family + "-" + scale + "-" + kLevels[index % 4];
}

/// Rows of a table with their preset's name; the SMELT S = 0 rows, which have none, left out.
std::map<std::string, const JsonValue*> rows(const char* table, const std::string& family) {
  std::map<std::string, const JsonValue*> named;
  const JsonValue::Array& all = *paper().find(table)->if_array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (family == "smelt" && i % 4 == 0) continue;
    named[preset_name(family, all[i], i)] = &all[i];
  }
  return named;
}

void check_printed_sizes(const Model& model, const JsonValue& row) {
  const smelt::ParameterCounts counts = smelt::count_parameters(model);
  CHECK(static_cast<double>(model.hidden_size) == number(row, "hidden_size"));
  CHECK(static_cast<double>(model.num_layers()) == number(row, "layers"));
  CHECK(static_cast<double>(model.layers[0].ffn.num_experts) == number(row, "total_experts"));
  CHECK(static_cast<double>(model.layers[0].ffn.num_experts_per_tok) ==
        number(row, "active_experts"));
  CHECK(printed(counts.active.to_double() / 1e9, 3) ==
        printed(number(row, "active_params_billion"), 3));
  CHECK(printed(counts.non_embedding.to_double() / 1e9, 2) ==
        printed(number(row, "total_params_billion"), 2));
}

}  // namespace

TEST_CASE("the presets are the paper's rows") {
  std::set<std::string> expected;
  for (const auto& [name, row] : rows("baseline", "baseline")) expected.insert(name);
  for (const auto& [name, row] : rows("smelt", "smelt")) expected.insert(name);
  REQUIRE(expected.size() == 28);
  const std::vector<std::string> names = shipped().names(PresetKind::kModel);
  for (const std::string& name : expected) {
    INFO(name);
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

TEST_CASE("the Baseline presets have the paper's printed figures") {
  for (const auto& [name, row] : rows("baseline", "baseline")) {
    INFO(name);
    const Model model = shipped().model(name);
    CHECK(model.name == name);
    check_printed_sizes(model, *row);
    CHECK(smelt::loop_spans(model).empty());
  }
}

TEST_CASE("the SMELT presets have the paper's printed figures") {
  for (const auto& [name, row] : rows("smelt", "smelt")) {
    INFO(name);
    const Model model = shipped().model(name);
    CHECK(model.name == name);
    check_printed_sizes(model, *row);
    const std::vector<smelt::LoopSpan> loops = smelt::loop_spans(model);
    REQUIRE(loops.size() == 1);
    const JsonValue& loop = *row->find("loop");
    CHECK(static_cast<double>(loops[0].start + 1) == number(loop, "first_layer_1based"));
    CHECK(static_cast<double>(loops[0].start + loops[0].length) ==
          number(loop, "last_layer_1based"));
    CHECK(static_cast<double>(loops[0].visits) == number(loop, "visits"));
    const Model baseline = shipped().model("baseline" + name.substr(name.find('-')));
    const smelt::Convention& convention = smelt::convention_named("paper", "");
    const smelt::Budget budget = smelt::budget_of(model, convention);
    const smelt::Budget reference = smelt::budget_of(baseline, convention);
    CHECK(printed(1 + smelt::deviation(budget, reference).flops, 3) ==
          printed(number(*row, "flops_ratio"), 3));
    CHECK(printed(1 + smelt::deviation(budget, reference).kv, 3) ==
          printed(number(*row, "kv_ratio"), 3));
  }
}

TEST_CASE("every preset model is written as it is read") {
  for (const std::string& name : shipped().names(PresetKind::kModel)) {
    INFO(name);
    const Model model = shipped().model(name);
    CHECK(smelt::read_model(smelt::parse_json(smelt::write_model(model))) == model);
    CHECK(smelt::read_json_file(shipped().find(PresetKind::kModel, name)).find("source") !=
          nullptr);
  }
}

TEST_CASE("the paper's rules") {
  const Rules rules = shipped().rules("paper");
  CHECK(rules.hidden_size == smelt::Axis{64, {}, 8, {}});
  CHECK(rules.num_experts == smelt::Axis{{}, 4096, 8, {}});
  CHECK(rules.moe_intermediate_size == smelt::Axis{8, {}, 8, {}});
  CHECK(rules.head_dim == smelt::Axis{32, 256, 4, {}});
  CHECK(rules.num_key_value_heads == smelt::Axis());
  CHECK(rules.ffn_ratio.lowest == Rational(85, 100));
  CHECK(rules.ffn_ratio.highest == Rational(115, 100));
  CHECK(rules.query_width_is_hidden);
  CHECK(rules.tolerance == smelt::Tolerance{{4, 100}, {1, 100}, {4, 100}});
}

TEST_CASE("the other rules differ from the paper's where they say") {
  const Rules fine = shipped().rules("fine");
  CHECK(fine.num_experts == smelt::Axis{{}, 4096, 1, {}});
  CHECK(fine.hidden_size.multiple_of == 8);
  CHECK(fine.moe_intermediate_size.multiple_of == 8);
  const Rules tiles = shipped().rules("tensor-core");
  CHECK(tiles.hidden_size.multiple_of == 128);
  CHECK(tiles.moe_intermediate_size.multiple_of == 128);
  CHECK(tiles.num_experts.multiple_of == 8);
  CHECK(tiles.head_dim.values == std::vector<std::int64_t>{64, 128});
  for (const std::string& name : shipped().names(PresetKind::kRules)) {
    CHECK(shipped().rules(name).name == name);
    CHECK_FALSE(shipped().rules(name).description.empty());
  }
}

namespace {

void check_published(const smelt::PublishedFigures& figures, const JsonValue& row) {
  CHECK(static_cast<double>(figures.hidden_size) == number(row, "hidden_size"));
  CHECK(static_cast<double>(figures.num_experts) == number(row, "total_experts"));
  CHECK(figures.active_params_billion == printed(number(row, "active_params_billion"), 3));
  CHECK(figures.total_params_billion == printed(number(row, "total_params_billion"), 2));
  CHECK(figures.sparsity_percent == printed(number(row, "sparsity_percent"), 1));
  REQUIRE(figures.flops_ratio.has_value() == (row.find("flops_ratio") != nullptr));
  if (!figures.flops_ratio) return;
  CHECK(*figures.flops_ratio == printed(number(row, "flops_ratio"), 3));
  CHECK(figures.kv_ratio == printed(number(row, "kv_ratio"), 3));
}

}  // namespace

TEST_CASE("the paper's grid holds both tables as printed") {
  const smelt::Grid grid = shipped().grid("paper");
  const JsonValue::Array& baselines = *paper().find("baseline")->if_array();
  const JsonValue::Array& matched = *paper().find("smelt")->if_array();
  REQUIRE(grid.rows.size() == 16);
  CHECK_FALSE(grid.match.has_value());
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const GridRow& row = grid.rows[i];
    INFO(row.baseline);
    CHECK(row.scale == text(baselines[i], "scale"));
    CHECK(row.baseline == preset_name("baseline", baselines[i], i));
    CHECK(row.matched.has_value() == (i % 4 != 0));
    if (row.matched) CHECK(*row.matched == preset_name("smelt", matched[i], i));
    REQUIRE(row.published_baseline.has_value());
    check_published(*row.published_baseline, baselines[i]);
    REQUIRE(row.published_matched.has_value());
    check_published(*row.published_matched, matched[i]);
  }
}

TEST_CASE("the SMELT rows have their printed S against the grid's control") {
  int rows_checked = 0;
  for (const GridRow& row : shipped().grid("paper").rows) {
    if (!row.matched) continue;
    INFO(*row.matched);
    REQUIRE(row.control.has_value());
    const smelt::Budget budget =
        smelt::budget_of(shipped().model(*row.matched), smelt::convention_named("paper", ""));
    const double value =
        smelt::sparsity(budget.training_flops_per_token, budget.non_embedding_params, *row.control);
    CHECK(printed(100 * value, 1) == row.published_matched->sparsity_percent);
    ++rows_checked;
  }
  CHECK(rows_checked == 12);
}

TEST_CASE("a misspelt preset is answered with the nearest") {
  CHECK(failure([] {
          return shipped().model("baseline-200-s95");
        }).find("did you mean 'baseline-200m-s9") != std::string::npos);
  CHECK(failure([] { return shipped().rules("papr"); }) ==
        "no rules preset 'papr' (did you mean 'paper'?)");
  CHECK(failure([] { return shipped().model("qqqqqqqqqqqqqq"); }) ==
        "no model preset 'qqqqqqqqqqqqqq' (`smelt presets` lists them; a path has a / or ends in "
        ".json)");
  CHECK(failure([] { return shipped().find(PresetKind::kModel, "../rules/paper"); }) ==
        "no model preset '../rules/paper' (`smelt presets` lists them; a path has a / or ends in "
        ".json)");
  CHECK(failure([] { return shipped().find(PresetKind::kModel, ""); }) ==
        "no model preset '' (`smelt presets` lists them; a path has a / or ends in .json)");
}

TEST_CASE("a name with a slash or an ending .json is a path") {
  CHECK(smelt::is_path("./m"));
  CHECK(smelt::is_path("m.json"));
  CHECK_FALSE(smelt::is_path("baseline-1.6b-s95"));
  CHECK_FALSE(smelt::is_path("json"));
  CHECK(failure([] { return shipped().model("./none.json"); }) == "./none.json: no such file");
  CHECK(shipped().model(kShipped + "/models/smelt-200m-s95.json").hidden_size == 1056);
}

TEST_CASE("the earlier root wins, and an absent one holds nothing") {
  const ScratchFolder folder("presets");
  const std::string rules = R"("tolerance": {"flops": 0, "params": 0, "kv": 0}})";
  folder.write("rules/paper.json", "{" + rules);
  folder.write("rules/own.json", R"({"description": "mine", )" + rules);
  folder.write("rules/notes.txt", "no preset");
  const Presets presets({folder.path() / "absent", folder.path(), kShipped});
  CHECK(presets.names(PresetKind::kRules) ==
        std::vector<std::string>{"fine", "own", "paper", "tensor-core"});
  CHECK(presets.rules("own").name == "own");
  CHECK(presets.rules("paper").tolerance == smelt::Tolerance());
  CHECK(presets.rules("fine").tolerance.flops == Rational(1, 25));
  CHECK(Presets({folder.path() / "absent"}).names(PresetKind::kModel).empty());
}
