// Every JSON result against its own schema, both as the program prints them.
#include <string>

#include "catch.hpp"
#include "process.hpp"
#include "smelt/json_value.hpp"

using smelt::JsonValue;

namespace {

/// The keywords that the schemas of results use. An object with a key that its schema does not
/// name fails here, though not for readers, so that no key goes undescribed.
class Checker {
 public:
  explicit Checker(const JsonValue& root) : root_(&root) {}

  void check(const JsonValue& value, const JsonValue& schema, const std::string& where) const {
    INFO(where);
    if (const JsonValue* const reference = schema.find("$ref")) {
      const std::string name = reference->if_string()->substr(std::string("#/$defs/").size());
      check(value, *root_->find("$defs")->find(name), where);
    }
    if (const JsonValue* const constant = schema.find("const")) CHECK(value == *constant);
    if (const JsonValue* const type = schema.find("type")) CHECK(has_type(value, *type));
    if (const JsonValue* const choices = schema.find("enum")) {
      CHECK(std::count(choices->if_array()->begin(), choices->if_array()->end(), value) == 1);
    }
    check_object(value, schema, where);
    check_items(value, schema, where);
  }

 private:
  static bool has_type(const JsonValue& value, const JsonValue& type) {
    const std::string& name = *type.if_string();
    if (name == "integer") {
      return value.if_number() != nullptr &&
             value.if_number()->find_first_of(".eE") == std::string::npos;
    }
    return (name == "number" && value.if_number() != nullptr) ||
           (name == "string" && value.if_string() != nullptr) ||
           (name == "boolean" && value.if_bool() != nullptr) ||
           (name == "array" && value.if_array() != nullptr) ||
           (name == "object" && value.if_object() != nullptr);
  }

  void check_object(const JsonValue& value, const JsonValue& schema,
                    const std::string& where) const {
    if (const JsonValue* const required = schema.find("required")) {
      for (const JsonValue& key : *required->if_array()) {
        INFO(*key.if_string());
        CHECK(value.find(*key.if_string()) != nullptr);
      }
    }
    const JsonValue* const properties = schema.find("properties");
    if (properties == nullptr) return;
    for (const auto& [key, member] : *value.if_object()) {
      const JsonValue* const described = properties->find(key);
      INFO(where << "/" << key);
      REQUIRE(described != nullptr);
      check(member, *described, where + "/" + key);
    }
  }

  void check_items(const JsonValue& value, const JsonValue& schema,
                   const std::string& where) const {
    const JsonValue* const items = schema.find("items");
    if (items == nullptr) return;
    for (const JsonValue& item : *value.if_array()) check(item, *items, where + "/*");
  }

  const JsonValue* root_;
};

}  // namespace

TEST_CASE("results obey the schemas that they name") {
  const std::vector<std::string> commands[] = {
      {"cost", "smelt-200m-s95"},
      {"cost", "baseline-100m-s0", "--control", "baseline-200m-s0", "--kv-policy", "last"},
      {"compare", "baseline-200m-s95", "smelt-200m-s95"},
      {"match", "baseline-200m-s95", "--loop", "1/2x2", "--top", "3"},
      {"match", "baseline-200m-s95", "--loop", "1/2x2", "--tol", "kv=1%"},
      {"cost", "smelt-200m-s95", "--set", "vocab_size=100", "--seq-len", "64", "--conventions",
       "--context", "64"},
      {"compare", "baseline-200m-s95", "smelt-200m-s95", "--conventions"},
      {"audit"},
      {"families", "gemma3"},
      {"grid"},
      {"time", "baseline-200m-s95", "smelt-200m-s95", "--device", "h100-sxm", "--tokens", "32k"},
      {"bench", "baseline-100m-s85", "smelt-100m-s85", "--reduce", "64", "--tokens", "640",
       "--limit", "0.1"},
      {"infer", SMELT_TEST_DATA "/paper-tables.json"},
      {"sweep", "baseline-200m-s85", "--axis", "span", "--losses", "paper-span-s85"},
      {"law", "predict", "smelt-200m-s95", "--tokens", "20B"},
      {"law", "plan", "--budget", "1e21", "--model", "baseline-200m-s95"},
      {"law", "gain", "smelt", "baseline"},
      {"law", "fit", "chinchilla-epoch", "--budget", "1e21", "--bootstrap", "20", "--threads", "1"},
      {"search", "tiles-1.6b"},
      {"presets"},
      {"schema"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--json");
    const JsonValue result = smelt::parse_json(smelt_run(command).out);
    REQUIRE(result.if_object() != nullptr);
    CHECK(result.if_object()->at(0).first == "schema");
    CHECK(result.if_object()->at(1).first == "smelt");
    const std::string& name = *result.find("schema")->if_string();
    const std::string second = command[0] == "law" ? "-" + command[1] : "";
    CHECK(name == "smelt/" + command[0] + second + "/1");
    const JsonValue schema = smelt::parse_json(smelt_run({"schema", name}).out);
    CHECK(*schema.find("$id")->if_string() == name);
    Checker(schema).check(result, schema, command[0]);
  }
}

TEST_CASE("every schema on the list can be printed") {
  const JsonValue list = smelt::parse_json(smelt_run({"schema", "--json"}).out);
  for (const JsonValue& entry : *list.find("schemas")->if_array()) {
    const std::string& name = *entry.find("name")->if_string();
    INFO(name);
    const JsonValue schema = smelt::parse_json(smelt_run({"schema", name}).out);
    CHECK(*schema.find("title") == *entry.find("title"));
  }
}
