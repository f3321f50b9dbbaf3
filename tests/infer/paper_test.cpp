// The published tables, against the geometry that their digits are known to fix.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "infer/brute_force.hpp"
#include "smelt/json_value.hpp"
#include "smelt/numbers.hpp"
#include "smelt/printed_table_file.hpp"
#include "smelt/text_file.hpp"

using namespace smelt;
using namespace smelt::testing;

namespace {

constexpr const char* kTables = SMELT_TEST_DATA "/paper-tables.json";

const InferResult& paper() {
  static const InferResult kResult =
      infer_geometry(read_printed_table(kTables), {}, conventions().front());
  return kResult;
}

const InferFinding& named(const std::vector<InferFinding>& findings, const std::string& name) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const InferFinding& each) { return each.name == name; });
  REQUIRE(found != findings.end());
  return *found;
}

std::int64_t count(const JsonValue& object, const char* key) {
  return parse_count(*object.find(key)->if_number(), key);
}

const PrintedRow& row_named(const PrintedTable& table, const std::string& name) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const PrintedRow& each) { return each.name == name; });
  REQUIRE(found != table.rows.end());
  return *found;
}

}  // namespace

TEST_CASE("every family of the paper has the known geometry and no other") {
  const JsonValue json = read_json_file(kTables);
  const JsonValue& known = *json.find("derived_by_inversion")->find("expert_ffn_and_kv_width");
  std::size_t families = 0;
  for (const auto& [part, prefix] :
       {std::pair{"baseline", "baseline "}, {"smelt_sparse", "smelt "}}) {
    for (const auto& [key, sizes] : *known.find(part)->if_object()) {
      for (const InferFinding& finding : paper().families) {
        if (finding.name.rfind(prefix + key + "/", 0) != 0 && finding.name != prefix + key)
          continue;
        INFO(finding.name);
        ++families;
        REQUIRE(finding_status(finding) == "unique");
        const InferredGeometry& geometry = finding.solutions[0].geometry;
        CHECK(geometry.expert_ffn == count(sizes, "expert_ffn"));
        CHECK(geometry.kv_width == count(sizes, "kv_width"));
        CHECK(geometry.gated());
        CHECK(geometry.shared_experts == 0);
      }
    }
  }
  CHECK(families == 9);
  CHECK(paper().families.size() == 9);
}

TEST_CASE(
    "the attended keys hold all that are known to reproduce the paper, and end where it does") {
  REQUIRE(paper().keys);
  CHECK(*paper().keys == KeysRange{389, 393});
  const JsonValue json = read_json_file(kTables);
  const JsonValue::Array& known =
      *json.find("derived_by_inversion")->find("mean_attended_keys")->if_array();
  CHECK(paper().keys->lowest <= parse_count(*known[0].if_number(), ""));
  CHECK(paper().keys->highest == parse_count(*known[1].if_number(), ""));
  // One row sets each end: 1.024 down to 389 keys, 1.008 up to 393.
  const PrintedTable table = read_printed_table(kTables);
  const auto ratio = [&](const char* name, const InferredGeometry& own, const char* base,
                         const InferredGeometry& other, std::int64_t keys) {
    return twin_print({twin_counts(row_named(table, name), own, keys).flops,
                       twin_counts(row_named(table, base), other, keys).flops},
                      3);
  };
  const InferredGeometry small[] = {{424, 144, 576, 3, 0}, {544, 224, 672, 3, 0}};
  CHECK(ratio("smelt 100M/96", small[0], "baseline 100M/64", small[1], 389) == "1.024");
  CHECK(ratio("smelt 100M/96", small[0], "baseline 100M/64", small[1], 388) == "1.023");
  const InferredGeometry large[] = {{640, 168, 1848, 3, 0}, {768, 256, 2304, 3, 0}};
  CHECK(ratio("smelt 1.6B/504", large[0], "baseline 1.6B/336", large[1], 393) == "1.008");
  CHECK(ratio("smelt 1.6B/504", large[0], "baseline 1.6B/336", large[1], 394) == "1.009");
}

TEST_CASE("the four looped rows without sparsity fit nothing, and say why") {
  for (const InferFinding& finding : paper().rows) {
    INFO(finding.name);
    const bool is_control = finding.name.rfind("smelt ", 0) == 0 && finding.name.ends_with("/16");
    CHECK(finding.solutions.empty() == is_control);
    CHECK(finding.conflicts.empty() == !is_control);
    for (const PrintedPlace& place : finding.conflicts) CHECK(place.row == finding.name);
  }
  CHECK(!paper().all_fit());
  // Without shared experts twice the active less the total parameters leaves attention more than
  // it can hold at 200M, 600M and 1.6B: those two figures clash.
  InferDomain domain;
  domain.most_shared_experts = 0;
  const InferResult plain =
      infer_geometry(read_printed_table(kTables), domain, conventions().front());
  for (const char* name : {"smelt 200M/16", "smelt 600M/16", "smelt 1.6B/16"}) {
    const std::vector<PrintedPlace>& clash = named(plain.rows, name).conflicts;
    REQUIRE(clash.size() == 2);
    CHECK(clash[0].kind == PrintedKind::kActiveParams);
    CHECK(clash[1].kind == PrintedKind::kTotalParams);
  }
}

TEST_CASE("rows that fit nothing stay out of their family") {
  const InferFinding& family = named(paper().families, "smelt 100M/H576");
  CHECK(family.left_out == std::vector<std::string>{"smelt 100M/16"});
  CHECK(family.rows ==
        std::vector<std::string>{"smelt 100M/96", "smelt 100M/288", "smelt 100M/504"});
}
