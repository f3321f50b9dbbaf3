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

TEST_CASE("bytes of KV cache per token of published models") {
  struct Case {
    const char* file;
    std::int64_t bytes;  ///< of 2-byte elements (bf16 or fp16)
  };
  for (const Case& c : {Case{"mixtral-8x7b", 131'072}, Case{"llama-2-7b", 524'288},
                        // head_dim is given; H / n_q would give 92,160
                        Case{"qwen3-4b", 147'456},
                        // 61 x (512 + 64) x 2: latent and rope once, no factor 2
                        Case{"deepseek-v3", 70'272}}) {
    CAPTURE(c.file);
    const Model model = import_hf_config(read_json_file(kModels + c.file + ".config.json")).model;
    CHECK(kv_bytes(kv_elements_per_token(model), KvDtype::kBf16).value() == c.bytes);
  }
}

TEST_CASE("the further published configs give their published totals") {
  const auto total = [](const char* file) {
    return count_parameters(import_hf_config(read_json_file(kModels + file)).model).total.value();
  };
  CHECK(total("llama-2-7b.config.json") == 6'738'415'616);
  CHECK(total("qwen3-4b.config.json") == 4'022'468'096);
}

TEST_CASE("an import tells the longest context apart from what it counts") {
  const HfImport import = import_hf_config(read_json_file(kModels + "qwen3-4b.config.json"));
  CHECK(import.longest_context == 40960);
  CHECK(!import.model.sequence_length);
  CHECK(!import.model.attended_keys);
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
             1'011'781'632},
        // States use_qk_norm, which the class does not read: it always norms.
        Case{"Qwen3-Coder-480B-A35B", R"({"model_type": "qwen3_moe", "hidden_size": 6144,
          "num_hidden_layers": 62, "num_attention_heads": 96, "num_key_value_heads": 8,
          "head_dim": 128, "intermediate_size": 8192, "num_experts": 160,
          "num_experts_per_tok": 8, "moe_intermediate_size": 2560, "use_qk_norm": true,
          "qkv_bias": false, "shared_expert_intermediate_size": 0, "decoder_sparse_step": 1,
          "mlp_only_layers": [], "vocab_size": 151936, "tie_word_embeddings": false})",
             480'154'875'392},
        Case{"Mixtral-8x22B-v0.1", R"({"model_type": "mixtral", "hidden_size": 6144,
          "num_hidden_layers": 56, "num_attention_heads": 48, "num_key_value_heads": 8,
          "intermediate_size": 16384, "num_local_experts": 8, "num_experts_per_tok": 2,
          "sliding_window": null, "vocab_size": 32000, "tie_word_embeddings": false})",
             140'620'634'112},
        Case{"gemma-2-9b", R"({"model_type": "gemma2", "hidden_size": 3584,
          "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8,
          "head_dim": 256, "intermediate_size": 14336, "sliding_window": 4096,
          "vocab_size": 256000})",
             9'241'705'984},
        Case{"gemma-3-1b", R"({"model_type": "gemma3_text", "hidden_size": 1152,
          "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
          "head_dim": 256, "intermediate_size": 6912, "sliding_window": 512,
          "sliding_window_pattern": 6, "vocab_size": 262144})",
             999'885'952},
        Case{"granite-3.0-1b-a400m", R"({"model_type": "granitemoe", "hidden_size": 1024,
          "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 8,
          "intermediate_size": 512, "num_local_experts": 32, "num_experts_per_tok": 8,
          "vocab_size": 49155, "tie_word_embeddings": true})",
             1'334'628'352},
        Case{"Phi-4", R"({"model_type": "phi3", "hidden_size": 5120, "num_hidden_layers": 40,
          "num_attention_heads": 40, "num_key_value_heads": 10, "intermediate_size": 17920,
          "sliding_window": null, "vocab_size": 100352, "tie_word_embeddings": false})",
             14'659'507'200},
        Case{"Llama-3.2-1B", R"({"model_type": "llama", "hidden_size": 2048,
          "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
          "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256,
          "tie_word_embeddings": true})",
             1'235'814'400},
        Case{"SmolLM3-3B", R"({"model_type": "smollm3", "hidden_size": 2048,
          "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 4,
          "intermediate_size": 11008, "no_rope_layers": [1, 1, 1, 0], "no_rope_layer_interval": 4,
          "use_sliding_window": false, "vocab_size": 128256, "tie_word_embeddings": true})",
             3'075'098'624},
        Case{"Mistral-Nemo", R"({"model_type": "mistral", "hidden_size": 5120,
          "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8,
          "head_dim": 128, "intermediate_size": 14336, "vocab_size": 131072,
          "sliding_window": null, "tie_word_embeddings": false})",
             12'247'782'400},
        Case{"OLMo-2-13B", R"({"model_type": "olmo2", "hidden_size": 5120,
          "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 40,
          "intermediate_size": 13824, "vocab_size": 100352, "tie_word_embeddings": false})",
             13'716'198'400},
        Case{"OLMo-3-7B", R"({"model_type": "olmo3", "hidden_size": 4096,
          "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
          "intermediate_size": 11008, "sliding_window": 4096, "vocab_size": 100278,
          "tie_word_embeddings": false})",
             7'298'011'136},
        // 401,583,781,376 less the 871,932,416 of the vision tower, as in Scout
        Case{"Llama-4-Maverick", R"({"model_type": "llama4", "text_config": {
          "model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48,
          "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
          "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_local_experts": 128,
          "interleave_moe_layer_step": 2, "num_experts_per_tok": 1, "attention_chunk_size": 8192,
          "use_qk_norm": false, "vocab_size": 202048}})",
             400'711'848'960}}) {
    CAPTURE(c.name);
    CHECK(count_parameters(import_hf_config(parse_json(c.config)).model).total.value() == c.total);
  }
}

// The checkpoint holds copies of embedding and head beside its module: 110,468,824,832 in all.
TEST_CASE("GLM-4.5-Air and its prediction module add up to the checkpoint") {
  const ParameterCounts params = count_parameters(
      import_hf_config(parse_json(R"({"model_type": "glm4_moe", "hidden_size": 4096,
          "num_hidden_layers": 46, "num_attention_heads": 96, "num_key_value_heads": 8,
          "head_dim": 128, "attention_bias": true, "use_qk_norm": false, "n_routed_experts": 128,
          "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 1408,
          "intermediate_size": 10944, "first_k_dense_replace": 1, "num_nextn_predict_layers": 1,
          "vocab_size": 151552, "tie_word_embeddings": false})"))
          .model);
  const std::int64_t copies = 2 * 151'552LL * 4096;
  CHECK(params.total.value() + params.mtp.value() + copies == 110'468'824'832);
}

TEST_CASE("a mixture never turns into a dense model in silence") {
  const std::string config = R"({"model_type": "qwen3_moe", "hidden_size": 64,
      "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
      "intermediate_size": 96, "num_experts": 8, "num_experts_per_tok": 2,
      "moe_intermediate_size": 32, "vocab_size": 100, "decoder_sparse_step": )";
  CHECK(failure([&] { return import_hf_config(parse_json(config + "2}")); }).empty());
  CHECK(failure([&] { return import_hf_config(parse_json(config + "5}")); }) ==
        "/num_experts: is 8, but no layer routes (a layer pattern (moe_layer_freq, "
        "decoder_sparse_step, ...) that leaves some)");
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
        Case{
            R"("index_n_heads": 64)", "",
            "/index_n_heads: may change the count, but family 'llama' does not know it (remove it, "
            "or name the family it belongs to with --as)"},
        Case{R"("head_dim": 16, "use_qk_norm": false)", "qwen3",
             "/use_qk_norm: is false, which the class does not know (true)"},
        Case{R"("rope_theta": 1e4)", "mixtral",
             "/num_experts: is missing (give it, or its alias num_local_experts)\n"
             "/num_experts_per_tok: is missing (give it, or its alias experts_per_token)"},
        Case{R"("rope_theta": 1e4)", "lama",
             "--as: unknown model_type 'lama' (did you mean 'llama'?; --as FAMILY for one derived "
             "from a known family, see smelt families)"},
        Case{R"("rope_theta": 1e4)", "", ""}}) {
    const std::string config = std::string(R"({"model_type": "llama", "hidden_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "intermediate_size": 96, "vocab_size": 100, "tie_word_embeddings": true, )")
                                   .append(c.change)
                                   .append("}");
    CAPTURE(c.change, c.as_family);
    CHECK(failure([&] { return import_hf_config(parse_json(config), c.as_family); }) == c.message);
  }
}
