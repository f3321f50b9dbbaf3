#include "smelt/audit.hpp"

#include <map>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "smelt/audit_file.hpp"
#include "smelt/cost.hpp"
#include "smelt/model_file.hpp"
#include "smelt/text_file.hpp"

using namespace smelt;

namespace {

const std::string kPresets = SMELT_TEST_DATA "/../../presets";

const JsonValue& studies() {
  static const JsonValue json = read_json_file(kPresets + "/studies/related.json");
  return json;
}

const AuditResult& audited() {
  static const AuditResult result = audit(read_audit_pairs(studies()));
  return result;
}

const AuditRow& row_of(const std::string& study, const std::string& pair = "") {
  for (const AuditRow& row : audited().rows) {
    if (row.study == study && row.pair == pair) return row;
  }
  FAIL("no row " << study << " " << pair);
  return audited().rows.front();
}

void check_ratio(const JsonValue& ratios, const char* key, const AuditedBudget& budget) {
  INFO(key);
  const JsonValue* expected = ratios.find(key);
  if (expected->is_null()) {
    CHECK_FALSE(budget.ratio.has_value());
  } else {
    REQUIRE(budget.ratio.has_value());
    CHECK(*budget.ratio == Approx(std::stod(*expected->if_number())).margin(0.00006));
  }
}

}  // namespace

TEST_CASE("every study's ratios come out as they were computed apart") {
  for (const JsonValue& study : *studies().find("studies")->if_array()) {
    const std::string name = *study.find("name")->if_string();
    INFO(name);
    const AuditRow& row = row_of(name);
    const JsonValue& ratios = *study.find("computed_ratios");
    if (ratios.is_null()) {
      CHECK_FALSE(row.flops.ratio.has_value());
      CHECK_FALSE(row.params.ratio.has_value());
      CHECK_FALSE(row.kv.ratio.has_value());
      continue;
    }
    check_ratio(ratios, "flops", row.flops);
    check_ratio(ratios, "params", row.params);
    check_ratio(ratios, "kv", row.kv);
  }
}

TEST_CASE("further pairs with shapes of their own come out, too") {
  for (const JsonValue& study : *studies().find("studies")->if_array()) {
    const JsonValue* more = study.find("more_pairs");
    if (more == nullptr) continue;
    for (const JsonValue& pair : *more->if_array()) {
      if (pair.find("looped") == nullptr) continue;
      INFO(*pair.find("pair")->if_string());
      const AuditRow& row =
          row_of(*study.find("name")->if_string(), *pair.find("pair")->if_string());
      check_ratio(*pair.find("computed_ratios"), "flops", row.flops);
      check_ratio(*pair.find("computed_ratios"), "params", row.params);
      check_ratio(*pair.find("computed_ratios"), "kv", row.kv);
    }
  }
}

TEST_CASE("a backward pass through the last visits only costs less") {
  CHECK(*row_of("Huginn", "backward through the last 8 visits").flops.ratio ==
        Approx(8.6233).margin(0.00006));
  CHECK(*row_of("Prairie et al. (Parcae)", "backward through the last 4 visits").flops.ratio ==
        Approx(2.5164).margin(0.00006));
}

TEST_CASE("only the marks that a figure contradicts are named") {
  std::map<std::string, std::string> contradictions;
  for (const AuditRow& row : audited().rows) {
    if (row.flops.contradicts) contradictions[row.study] += "flops";
    if (row.params.contradicts) contradictions[row.study] += "params";
    if (row.kv.contradicts) contradictions[row.study] += "kv";
  }
  CHECK(contradictions == std::map<std::string, std::string>{{"Saunshi et al.", "kv"}});
}

TEST_CASE("presets of published designs have their published totals") {
  struct Case {
    const char* preset;
    std::int64_t total;
  };
  for (const Case& c : {Case{"huginn-3.5b", 3'509'051'040}, Case{"huginn-0125", 3'564'976'800},
                        Case{"ouro-1.4b", 1'434'652'673}, Case{"albert-base", 11'683'584}}) {
    INFO(c.preset);
    const Model model = read_model_file(kPresets + "/models/" + c.preset + ".json");
    CHECK(count_parameters(model).total.value() == c.total);
  }
}

TEST_CASE("a file that is no list of studies is refused") {
  CHECK(failure([] { return read_audit_pairs(parse_json("{}")); }) ==
        "/studies: is missing ({\"studies\": [{\"name\": ..., \"looped\": ...}]})");
}
