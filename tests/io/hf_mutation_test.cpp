#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/error.hpp"
#include "smelt/hf_config.hpp"
#include "smelt/text_file.hpp"

using namespace smelt;

namespace {

const std::filesystem::path kModels = SMELT_TEST_DATA "/models";

std::vector<std::filesystem::path> config_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".config.json") != std::string::npos) files.push_back(entry.path());
  }
  return files;
}

/// Everything that an import counts, as one value.
std::vector<Count> counts_of(const JsonValue& json) {
  const Model model = import_hf_config(json).model;
  const ParameterCounts params = count_parameters(model);
  std::vector<Count> counts = {params.total,
                               params.active_with_embeddings,
                               params.executed_active,
                               params.non_embedding,
                               params.mtp,
                               kv_elements_per_token(model),
                               kv_elements_per_token_unbounded(model)};
  for (const Component component : kAllComponents) counts.push_back(params.components[component]);
  return counts;
}

/// Empty where the import stands by the original counts; else what is wrong with the outcome.
std::string outcome(const JsonValue& mutated, const std::vector<Count>& original) {
  try {
    return counts_of(mutated) == original ? "" : "the count changed without a word";
  } catch (const InputError& error) {
    const std::string text = error.what();
    if (text.find('\n') != std::string::npos) return "more than one line: " + text;
    return text.find("/") != std::string::npos ? "" : "names no key: " + text;
  } catch (const std::exception& error) {
    return std::string("not an input error: ") + error.what();
  }
}

using Change = std::function<void(JsonValue::Object&, std::size_t)>;

/// Calls `visit` with a changed copy of `root` for each member of each object within it.
void for_each_member(const JsonValue& root, const std::string& where, const Change& change,
                     const std::function<void(const JsonValue&, const std::string&)>& visit) {
  const JsonValue::Object& members = *root.if_object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string place = where + "/" + members[i].first;
    JsonValue copy = root;
    change(*copy.if_object(), i);
    visit(copy, place);
    if (members[i].second.if_object() == nullptr) continue;
    for_each_member(members[i].second, place, change,
                    [&](const JsonValue& inner, const std::string& inner_place) {
                      JsonValue outer = root;
                      (*outer.if_object())[i].second = inner;
                      visit(outer, inner_place);
                    });
  }
}

void check_all(const char* name, const Change& change) {
  for (const std::filesystem::path& file : config_files()) {
    const JsonValue config = read_json_file(file);
    const std::vector<Count> original = counts_of(config);
    for_each_member(config, "", change, [&](const JsonValue& mutated, const std::string& place) {
      const std::string fault = outcome(mutated, original);
      if (!fault.empty()) {
        FAIL_CHECK(name << ": " << file.filename().string() << " " << place << ": " << fault);
      }
    });
  }
}

void set_value(JsonValue::Object& members, std::size_t i, const JsonValue& value) {
  members[i].second = value;
}

}  // namespace

TEST_CASE("a key removed from a config leaves the count or an error in one line") {
  check_all("removed", [](JsonValue::Object& members, std::size_t i) {
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
  });
}

// A null q_lora_rank is a statement of its own: queries are projected in one step.
TEST_CASE("a null counts as absent") {
  check_all("null", [](JsonValue::Object& members, std::size_t i) {
    if (members[i].first != "q_lora_rank") set_value(members, i, JsonValue());
  });
}

TEST_CASE("a misspelt key leaves the count or an error in one line") {
  check_all("letter added",
            [](JsonValue::Object& members, std::size_t i) { members[i].first += "s"; });
  check_all("letter lost", [](JsonValue::Object& members, std::size_t i) {
    members[i].first.erase(members[i].first.size() / 2, 1);
  });
}

TEST_CASE("a key given twice in other words must say the same") {
  // Exact duplicates are refused by the JSON reader.
  for (const std::filesystem::path& file : config_files()) {
    const JsonValue config = read_json_file(file);
    const std::vector<Count> original = counts_of(config);
    for (const auto& [key, value] : *config.if_object()) {
      for (const std::string& alias : hf_key_aliases(key)) {
        if (config.find(alias) != nullptr || value.if_number() == nullptr) continue;
        JsonValue same = config;
        same.if_object()->emplace_back(alias, value);
        CHECK(outcome(same, original).empty());
        JsonValue other = config;
        other.if_object()->emplace_back(alias, JsonValue::number("7"));
        CAPTURE(file.filename().string(), key, alias);
        CHECK(outcome(other, original).empty());
      }
    }
  }
}

TEST_CASE("a value of another type leaves the count or an error in one line") {
  for (const JsonValue& value :
       {JsonValue::string("12"), JsonValue::array({}), JsonValue::object({}),
        JsonValue::boolean(true), JsonValue::number("2.5"),
        JsonValue::array({JsonValue::string("x")})}) {
    check_all("retyped", [&](JsonValue::Object& members, std::size_t i) {
      // true stays true, and an empty list an empty list
      if (members[i].second.kind() != value.kind()) set_value(members, i, value);
    });
  }
}

TEST_CASE("an absurd number leaves the count or an error in one line") {
  for (const char* text : {"-1", "-7", "1e18", "1e30", "123456789012", "9223372036854775807"}) {
    check_all(text, [&](JsonValue::Object& members, std::size_t i) {
      if (members[i].second.if_number() != nullptr) {
        set_value(members, i, JsonValue::number(text));
      }
    });
  }
}
