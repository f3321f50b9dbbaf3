#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "smelt/printed_table_file.hpp"

using namespace smelt;

namespace {

const std::string kHeader =
    "name,hidden_size,num_hidden_layers,num_experts,num_experts_per_tok,total_params_billion\n";

std::string failure_of(const std::string& text) {
  return failure([&] { parse_printed_table(text); });
}

}  // namespace

TEST_CASE("CSV and JSON forms of a table say the same") {
  const PrintedTable csv = parse_printed_table(
      "name,family,hidden_size,num_hidden_layers,num_experts,num_experts_per_tok,loop,"
      "total_params_billion,sparsity_percent,kv_ratio,relative_to,control\n"
      "a,f,64,4,8,2,,0.10,,,,\n"
      "b,f,64,4,16,2,1/2x2,0.20,50.0,1.031,a,a\n");
  const PrintedTable json = parse_printed_table(R"({"rows": [
      {"name": "a", "family": "f", "hidden_size": 64, "num_hidden_layers": 4, "num_experts": 8,
       "num_experts_per_tok": 2, "total_params": "0.10B"},
      {"name": "b", "family": "f", "hidden_size": 64, "num_hidden_layers": 4, "num_experts": 16,
       "num_experts_per_tok": 2, "loop": "2-3x2", "total_params": "0.20B", "sparsity": "50.0%",
       "kv_ratio": 1.031, "relative_to": "a", "control": "a"}]})");
  REQUIRE(csv.rows.size() == 2);
  REQUIRE(json.rows.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(csv.rows[i].name == json.rows[i].name);
    CHECK(csv.rows[i].family == "f");
    CHECK(csv.rows[i].loop == json.rows[i].loop);
    CHECK(csv.rows[i].figures == json.rows[i].figures);
    CHECK(csv.rows[i].relative_to == json.rows[i].relative_to);
    CHECK(csv.rows[i].control == json.rows[i].control);
  }
  CHECK(json.rows[1].loop == LoopSpan{1, 2, 2});
  CHECK(*json.rows[1].relative_to == 0);
}

TEST_CASE("digits that a JSON writer dropped come back") {
  const std::string row =
      R"("rows": [{"hidden_size": 64, "num_hidden_layers": 4, "num_experts": 8,
                   "num_experts_per_tok": 2, "total_params_billion": 0.1}]})";
  const auto figure = [](const std::string& text) {
    return parse_printed_table(text).rows.at(0).figures.at(0);
  };
  CHECK(figure("{" + row).lowest == Rational(50'000'000));
  CHECK(figure(R"({"digits": {"total_params_billion": 3}, )" + row).lowest == Rational(99'500'000));
}

TEST_CASE("the published tables: digits of the longest figure, ratios and controls by scale") {
  const PrintedTable table = read_printed_table(SMELT_TEST_DATA "/paper-tables.json");
  REQUIRE(table.rows.size() == 32);
  CHECK(table.rows[0].find(PrintedKind::kActiveParams)->printed == "0.100B");
  CHECK(table.rows[0].find(PrintedKind::kSparsity)->printed == "0.0%");
  const PrintedRow& matched = table.rows[22];
  CHECK(matched.name == "smelt 200M/288");
  CHECK(matched.family == "smelt 200M/H1056");
  CHECK(matched.loop == LoopSpan{3, 6, 2});
  CHECK(table.rows[*matched.relative_to].name == "baseline 200M/192");
  CHECK(table.rows[*matched.control].name == "smelt 200M/16");
}

TEST_CASE("faults of a table, each at its place") {
  CHECK(failure_of(kHeader + "a,64,4,8,2,x\n") ==
        "line 2: total_params_billion: 'xB' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)");
  CHECK(failure_of(kHeader + "a,,4,8,2,1\n") == "line 2: hidden_size: is missing (required)");
  CHECK(failure_of(kHeader + "a,64,4,8,9,1\n") ==
        "line 2: num_experts_per_tok: 9 is too large (at most num_experts)");
  CHECK(failure_of("hidden_size,num_hidden_layers,total_param\n64,4,1\n") ==
        "line 2: total_param: unknown key (did you mean 'total_params'?)");
  CHECK(failure_of("hidden_size,num_hidden_layers,total_params,total_params_billion\n64,4,1,1\n") ==
        "line 2: total_params_billion: the figure stands twice (one key for it)");
  CHECK(failure_of("hidden_size,num_hidden_layers,kv_ratio\n64,4,1.0\n") ==
        "line 2: relative_to: is missing (the name of the row that the ratios are over)");
  CHECK(failure_of("name,hidden_size,num_hidden_layers,relative_to\nbase,64,4,\nb,64,4,bse\n") ==
        "line 3: relative_to: no row is named 'bse' (did you mean 'base'?)");
  CHECK(failure_of("family,hidden_size,num_hidden_layers\nf,64,4\nf,32,4\n") ==
        "line 3: hidden_size: 32 differs within family 'f' (64, or a family of its own)");
  CHECK(failure_of(R"({"rows": [{"hidden_size": [1], "num_hidden_layers": 4}]})") ==
        "/rows/0/hidden_size: is an array (a number or a string)");
  CHECK(failure_of(R"({"row": []})") == "/row: unknown key (did you mean 'rows'?)");
}
