#include "smelt/law_file.hpp"

#include <cmath>
#include <string>

#include "catch.hpp"
#include "smelt/error.hpp"

using smelt::Law;
using smelt::LawForm;
using smelt::LawRole;

namespace {

Law preset(const std::string& name) {
  return smelt::read_law_file(std::string(SMELT_TEST_DATA) + "/../../presets/laws/" + name +
                              ".json");
}

std::string fault_of(const std::string& text) {
  try {
    smelt::read_law(smelt::parse_json(text));
  } catch (const smelt::InputError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("the laws shipped hold their sources' coefficients") {
  struct Case {
    const char* name;
    LawForm form;
    smelt::LawCoefficients coefficients;  ///< E, A, B or K, alpha or a, beta or c, b
  };
  const Case cases[] = {
      {"smelt", LawForm::kSparse, {1.4493, 1963, 5264000, 0.3892, 0.7011, 0.146}},
      {"baseline", LawForm::kSparse, {1.4439, 1366, 1975000, 0.3703, 0.6594, 0.153}},
      {"chinchilla", LawForm::kChinchilla, {1.69, 406.4, 410.7, 0.34, 0.28}},
      {"chinchilla-refit", LawForm::kChinchilla, {1.8172, 482.01, 2085.43, 0.3478, 0.3658}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Law law = preset(c.name);
    CHECK(law.name == c.name);
    CHECK(law.form == c.form);
    CHECK(law.coefficients == c.coefficients);
    CHECK_FALSE(law.source.empty());
    for (const std::string& variable : smelt::law_form_info(law.form).variables) {
      CHECK(law.conventions.count(variable) == 1);
    }
  }
  CHECK(preset("smelt").window.at("budget").highest == 2.2e21);
}

TEST_CASE("the iso-depth law states phi alone") {
  const Law law = preset("iso-depth");
  CHECK(law[LawRole::kExtraExponent] == 0.46);
  CHECK_FALSE(smelt::is_complete(law));
}

TEST_CASE("a law is written as it is read") {
  for (const char* name : {"smelt", "baseline", "chinchilla", "chinchilla-refit", "iso-depth"}) {
    INFO(name);
    const std::string text = smelt::write_law(preset(name));
    CHECK(smelt::write_law(smelt::read_law(smelt::parse_json(text))) == text);
  }
}

TEST_CASE("faults of a law file are named at their key") {
  CHECK(fault_of("{}") == "/form: is missing\n/coefficients: is missing");
  CHECK(fault_of(R"({"form": "chinchila", "coefficients": {}})") ==
        "/form: unknown form of law 'chinchila' (did you mean 'chinchilla'?)");
  const std::string start = R"({"form": "chinchilla", "coefficients": )";
  const std::string good = R"({"E": 1, "A": 2, "B": 3, "alpha": 0.3, "beta": 0.3})";
  CHECK(fault_of(start + good + "}") == "no fault");
  CHECK(fault_of(start + R"({"E": 1, "A": 2, "B": 3, "alpha": 0.3}})") ==
        "/coefficients/beta: is missing (a number, or \"beta\" under /unstated)");
  CHECK(fault_of(start + R"({"E": "1", "A": 2, "B": 3, "alpha": 0.3, "beta": 0.3}})") ==
        "/coefficients/E: is a string, not a number");
  CHECK(fault_of(start + good + R"(, "unstated": ["E"]})") ==
        "/coefficients/E: is both stated and unstated (a number, or \"E\" under /unstated)");
  CHECK(fault_of(start + good + R"(, "window": {"budget": [2e20, 1e20]}})") ==
        "/window/budget: is no range ([lowest, highest])");
  CHECK(
      fault_of(start + good + R"(, "window": {"sparsity": [0, 1]}})").find("/window/sparsity: ") ==
      0);
  CHECK(fault_of(start + good + R"(, "windw": {}})") ==
        "/windw: unknown key (did you mean 'window'?)");
}
