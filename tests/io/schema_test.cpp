// The JSON Schemas name the keys that the readers know, no more and no fewer. Whether the presets
// validate is checked by validate_presets.py, with a validator of its own.
#include <set>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "smelt/grid_file.hpp"
#include "smelt/hardware_file.hpp"
#include "smelt/law_file.hpp"
#include "smelt/model_file.hpp"
#include "smelt/rules_file.hpp"
#include "smelt/text_file.hpp"

using smelt::JsonValue;

namespace {

/// An object with only that key, at null: a key of the form is of the wrong type, another unknown.
JsonValue only(const std::string& key) {
  return JsonValue::object({{key, JsonValue()}, {"model_type", JsonValue::string("smelt")}});
}

bool is_known(const std::string& schema, const std::string& key) {
  if (key == "model_type") return true;
  const std::string message = failure([&] {
    if (schema == "model") smelt::read_model(only(key));
    if (schema == "rules") smelt::read_rules(only(key));
    if (schema == "grid") smelt::read_grid(only(key));
    if (schema == "hardware") smelt::read_hardware(only(key));
    if (schema == "law") smelt::read_law(only(key));
  });
  return message.find("/" + key + ": unknown key") == std::string::npos;
}

std::set<std::string> schema_keys(const std::string& name) {
  const JsonValue schema =
      smelt::read_json_file(SMELT_TEST_DATA "/../../presets/schemas/" + name + ".json");
  std::set<std::string> keys;
  for (const auto& [key, value] : *schema.find("properties")->if_object()) keys.insert(key);
  return keys;
}

smelt::Layer every_key_of_a_layer() {
  smelt::GroupedQueryAttention attention{4, 2, 8};
  attention.qk_norm = smelt::QkNorm::kFull;
  attention.bias = {true, true, true, false};
  attention.sinks = attention.output_gate = true;
  attention.own_keys_values = false;
  smelt::Layer layer;
  layer.attention = attention;
  layer.ffn = {2, 8, 2, 16, 1, 16, 64, true, true, true, true, true};
  layer.norms = 4;
  layer.window = {smelt::AttentionWindow::Kind::kSliding, 7};
  return layer;
}

}  // namespace

TEST_CASE("every key of a schema is known to its reader") {
  for (const std::string name : {"model", "rules", "grid", "hardware", "law"}) {
    const std::set<std::string> keys = schema_keys(name);
    CHECK(keys.size() >= 5);
    for (const std::string& key : keys) {
      INFO(name << ": " << key);
      CHECK(is_known(name, key));
    }
    CHECK_FALSE(is_known(name, "qqqqqqqq"));
  }
}

TEST_CASE("every key that a writer writes is in the schema") {
  smelt::Layer layer;
  layer.attention = smelt::GroupedQueryAttention{4, 2, 8};
  layer.ffn.matrices = 2;
  layer.ffn.num_experts = 8;
  layer.ffn.num_experts_per_tok = 2;
  layer.ffn.expert_width = 16;
  layer.ffn.num_shared_experts = 1;
  layer.ffn.shared_expert_width = 16;
  layer.norms = 4;
  smelt::Model model = smelt::uniform_stack(32, 4, layer, smelt::LoopSpan{1, 2, 2});
  model.name = std::string("m");
  model.vocab_size = 100;
  model.tie_word_embeddings = true;
  model.attended_keys = 4;
  smelt::Model full = model;
  full.layers[0] = every_key_of_a_layer();
  full.norm = smelt::NormKind::kWeightless;
  full.final_norms = 3;
  full.has_output_head = false;
  full.output_head_bias = true;
  full.embedding = {1, 1, 1, 1};
  full.extras = {{"pooler", 1, 1, 0}};
  full.causal = false;
  full.documents = smelt::ConstantDocuments{9};
  full.sequence_length = 9;
  full.mtp_layers = {layer};
  smelt::Model dense = model;
  for (smelt::Layer& each : dense.layers) each.ffn = {3, 0, 0, 0, 0, 0, 64};
  smelt::Rules rules;
  rules.name = rules.description = std::string("r");
  rules.hidden_size = rules.num_experts = rules.moe_intermediate_size = rules.head_dim =
      rules.num_key_value_heads = rules.kv_lora_rank = {1, 8, 1, {}};
  rules.ffn_ratio.lowest = rules.query_ratio.lowest = 1;
  const auto check = [](const JsonValue& written, const std::string& schema) {
    const std::set<std::string> keys = schema_keys(schema);
    for (const auto& [key, value] : *written.if_object()) {
      INFO(schema << ": " << key);
      CHECK(keys.count(key) == 1);
    }
  };
  check(smelt::model_json(model), "model");
  check(smelt::model_json(dense), "model");
  check(smelt::model_json(full), "model");
  full.layers.assign(2, full.layers[0]);
  check(smelt::model_json(full), "model");
  check(smelt::rules_json(rules), "rules");
}
