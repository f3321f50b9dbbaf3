#include "smelt/hf_config.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
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

// Totals of the checkpoints on the Hugging Face Hub, none of them among the files above.
TEST_CASE("siblings of the published families give their published totals") {
  struct Case {
    const char* name;
    const char* config;
    std::int64_t total;
  };
  for (const Case& c :
       {Case{"Qwen3-0.6B", R"({"model_type": "qwen3", "hidden_size": 1024,
          "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
          "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936,
          "tie_word_embeddings": true})",
             596'049'920},
        Case{"DeepSeek-V2-Lite", R"({"model_type": "deepseek_v2", "first_k_dense_replace": 1,
          "hidden_size": 2048, "intermediate_size": 10944, "kv_lora_rank": 512,
          "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2,
          "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27,
          "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
          "v_head_dim": 128, "vocab_size": 102400})",
             15'706'484'224},
        Case{"gpt-oss-20b", R"({"model_type": "gpt_oss", "hidden_size": 2880,
          "intermediate_size": 2880, "num_attention_heads": 64, "num_key_value_heads": 8,
          "head_dim": 64, "num_hidden_layers": 24, "num_local_experts": 32,
          "num_experts_per_tok": 4, "sliding_window": 128, "vocab_size": 201088})",
             20'914'757'184},
        Case{"pythia-1b", R"({"model_type": "gpt_neox", "hidden_size": 2048,
          "intermediate_size": 8192, "num_attention_heads": 8, "num_hidden_layers": 16,
          "vocab_size": 50304, "tie_word_embeddings": false})",
             1'011'781'632}}) {
    CAPTURE(c.name);
    CHECK(count_parameters(import_hf_config(parse_json(c.config)).model).total.value() == c.total);
  }
}

TEST_CASE("an import never guesses") {
  struct Case {
    const char* change;  ///< members that join a sound llama config
    const char* as_family;
    const char* message;
  };
  for (const Case& c :
       {Case{R"("num_local_experts": 8)", "",
             "/num_local_experts: may change the count, but family 'llama' does not know it "
             "(remove it, or name the family it belongs to with --as)"},
        Case{R"("n_kv_heads": 4)", "",
             "/n_kv_heads: is 4, but num_key_value_heads, which means the same, is 2 (one of the "
             "two alone)"},
        Case{R"("use_qk_norm": true)", "",
             "/use_qk_norm: may change the count, but family 'llama' does not know it (remove it, "
             "or name the family it belongs to with --as)"},
        Case{R"("rope_theta": 1e4)", "mixtral",
             "/num_experts: is missing (give it, or its alias num_local_experts)\n"
             "/num_experts_per_tok: is missing (give it, or its alias experts_per_token)"},
        Case{R"("rope_theta": 1e4)", "lama",
             "--as: unknown model_type 'lama' (did you mean 'llama'?; --as FAMILY for one derived "
             "from a known family, see smelt families)"},
        Case{R"("rope_theta": 1e4)", "", ""}}) {
    const std::string config = std::string(R"({"model_type": "llama", "hidden_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "intermediate_size": 96, "vocab_size": 100, )")
                                   .append(c.change)
                                   .append("}");
    CAPTURE(c.change, c.as_family);
    CHECK(failure([&] { return import_hf_config(parse_json(config), c.as_family); }) == c.message);
  }
}
