#include "smelt/hf_config.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/numbers.hpp"
#include "smelt/text_file.hpp"

using namespace smelt;

namespace {

const std::string kModels = SMELT_TEST_DATA "/models/";

std::int64_t number_at(const JsonValue& entry, const char* key) {
  return parse_count(*entry.find(key)->if_number(), key);
}

void check_count(const JsonValue& entry, const char* key, Count count) {
  CAPTURE(key);
  CHECK(count.value() == number_at(entry, key));
}

}  // namespace

TEST_CASE("published models give their published counts") {
  const JsonValue expected = read_json_file(kModels + "expected.json");
  REQUIRE(expected.if_array()->size() == 33);
  for (const JsonValue& entry : *expected.if_array()) {
    const std::string file = *entry.find("file")->if_string();
    CAPTURE(file);
    const Model model = import_hf_config(read_json_file(kModels + file)).model;
    const ParameterCounts params = count_parameters(model);
    check_count(entry, "total_params", params.total);
    check_count(entry, "active_params", params.active_with_embeddings);
    check_count(entry, "non_embedding_params", params.non_embedding);
    check_count(entry, "active_non_embedding_params", params.active);
    check_count(entry, "mtp_params", params.mtp);
    CHECK(kv_elements_per_token(model).value() == number_at(entry, "kv_elements_per_token"));
    CHECK(kv_elements_per_token_unbounded(model).value() ==
          number_at(entry, "kv_elements_per_token_unbounded"));
    CHECK(kv_slots(model).value() == number_at(entry, "kv_cache_slots"));
    std::int64_t visits = 1;
    for (const Layer& layer : model.layers) visits = std::max(visits, layer.visits);
    CHECK(visits == number_at(entry, "loop_count"));
  }
}
