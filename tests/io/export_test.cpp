#include "smelt/export.hpp"

#include <filesystem>
#include <map>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "smelt/cost.hpp"
#include "smelt/hf_config.hpp"
#include "smelt/model_file.hpp"

using namespace smelt;

namespace {

std::map<std::string, Model> published_models() {
  std::map<std::string, Model> models;
  for (const auto& entry : std::filesystem::directory_iterator(SMELT_TEST_DATA "/models")) {
    const std::string file = entry.path().filename().string();
    if (file.find(".config.json") == std::string::npos) continue;
    models[file] = read_model_file(entry.path());
  }
  return models;
}

void check_same_counts(const Model& model, const Model& read) {
  const ParameterCounts a = count_parameters(model);
  const ParameterCounts b = count_parameters(read);
  CHECK(a.total.value() == b.total.value());
  CHECK(a.components == b.components);
  CHECK(a.active.value() == b.active.value());
  CHECK(a.executed_active.value() == b.executed_active.value());
  CHECK(a.mtp.value() == b.mtp.value());
  CHECK(kv_elements_per_token(model) == kv_elements_per_token(read));
  CHECK(kv_elements_per_token_unbounded(model) == kv_elements_per_token_unbounded(read));
}

}  // namespace

TEST_CASE("every published model exports to a Hugging Face config that counts the same") {
  for (const auto& [file, model] : published_models()) {
    INFO(file);
    const std::string text = export_model(model, "hf").text;
    INFO(text);
    check_same_counts(model, import_hf_config(parse_json(text)).model);
  }
}

TEST_CASE("Megatron-LM's arguments count the same, or are refused") {
  std::size_t written = 0;
  for (const auto& [file, model] : published_models()) {
    INFO(file);
    const std::string refused = failure([&] { return export_model(model, "megatron"); });
    if (!refused.empty()) {
      CHECK(refused.find("Megatron-LM's arguments have no ") != std::string::npos);
      continue;
    }
    const std::string text = export_model(model, "megatron").text;
    INFO(text);
    check_same_counts(model, import_megatron_arguments(text));
    ++written;
  }
  CHECK(written >= 15);
}

TEST_CASE("torchtitan's arguments count the same, or are refused") {
  std::size_t written = 0;
  for (const auto& [file, model] : published_models()) {
    INFO(file);
    const std::string refused = failure([&] { return export_model(model, "torchtitan"); });
    if (!refused.empty()) {
      CHECK(refused.find("torchtitan's model arguments have no ") != std::string::npos);
      continue;
    }
    const std::string text = export_model(model, "torchtitan").text;
    INFO(text);
    check_same_counts(model, read_model(parse_json(text)));
    ++written;
  }
  CHECK(written >= 10);
}

TEST_CASE("what torchtitan's arguments do not settle is refused") {
  CHECK(failure([] {
          return read_model(parse_json(R"({"dim": 64, "n_layers": 2, "n_heads": 4, "head_dim": 16,
            "hidden_dim": 96, "n_kv_head": 2, "norm_eps": 1e-6})"));
        }) == "/n_kv_head: unknown key (did you mean 'n_kv_heads'?)");
  const Model deepseek = read_model_file(SMELT_TEST_DATA "/models/deepseek-v3.config.json");
  CHECK(failure([&] { return export_model(deepseek, "torchtitan").text; }) ==
        "deepseek-v3.config: torchtitan's model arguments have no multi-token-prediction module "
        "(--to smelt keeps everything)");
}

TEST_CASE("what a target has no words for is said") {
  std::map<std::string, Model> models = published_models();
  Model looped = models.at("qwen3-30b-a3b.config.json");
  looped.name = std::string("q");
  apply_loop(looped, {12, 24, 2});
  CHECK(failure([&] { return export_model(looped, "hf").text; }) ==
        "q: no Hugging Face family runs its layers in this loop (--to smelt keeps everything)");
  CHECK(failure([&] { return export_model(looped, "megatron").text; }) ==
        "q: Megatron-LM's arguments have no loop (--to smelt keeps everything)");
  CHECK(failure([&] { return export_model(looped, "torchtitan").text; }) ==
        "q: torchtitan's model arguments have no loop (--to smelt keeps everything)");
  CHECK(read_model(parse_json(export_model(looped, "smelt").text)) == looped);
  CHECK(failure([&] { return export_model(looped, "onnx").text; }) ==
        "--to: unknown target 'onnx' (one of hf, megatron, torchtitan, smelt)");
}

TEST_CASE("Megatron-LM's arguments are read as they are written for a run") {
  const Model model = import_megatron_arguments(
      "--use-rotary-position-embeddings --num-layers 4 --hidden-size 64 \\\n --num-attention-heads "
      "8 --group-query-attention "
      "--num-query-groups 2 --swiglu --ffn-hidden-size 128 --disable-bias-linear "
      "--normalization RMSNorm --num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 32 "
      "--moe-layer-freq '([0]*1+[1]*3)' --vocab-size 100 --lr 1e-4 --moe-aux-loss-coeff 1e-3");
  // 4 x (2 x 64 x 64 + 2 x 64 x 16) + dense 3 x 64 x 128 + 3 x (64 x 8 + 8 x 3 x 64 x 32)
  // + 9 norms of 64 + a tied table of 100 x 64
  CHECK(count_parameters(model).total.value() == 4 * (2 * 64 * 64 + 2 * 64 * 16) + 3 * 64 * 128 +
                                                     3 * (64 * 8 + 8 * 3 * 64 * 32) + 9 * 64 +
                                                     100 * 64);
  CHECK(failure([] { return import_megatron_arguments("--num-layers 4"); }) ==
        "--hidden-size: is missing (give it)");
}

// Llama 3.1 8B as a script of Megatron-LM's examples spells it, and its published total.
TEST_CASE("a shell script's array of Megatron-LM's arguments is read") {
  const Model model = import_megatron_arguments(R"(# the model
MODEL_ARGS=(
    --use-mcore-models   # no effect on the count
    --num-layers 32
    --hidden-size=4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --seq-length 8192
    --max-position-embeddings 131072
    --position-embedding-type rope
    --rotary-base 500000
    --untie-embeddings-and-output-weights
    --swiglu --disable-bias-linear --normalization RMSNorm
    --attention-dropout 0.0 --vocab-size 128256
)
)");
  CHECK(count_parameters(model).total.value() == 8'030'261'248);
  CHECK(model.sequence_length == 8192);
}

// GPT-2's 124,439,808: Megatron-LM's own defaults are its family's.
TEST_CASE("Megatron-LM's defaults are learned positions, LayerNorm and biases") {
  const Model model = import_megatron_arguments(
      "--num-layers 12 --hidden-size 768 --num-attention-heads 12 --max-position-embeddings 1024 "
      "--vocab-size 50257");
  CHECK(count_parameters(model).total.value() == 124'439'808);
}

TEST_CASE("Megatron-LM's arguments that do not settle the count are refused") {
  const std::string sound =
      "--num-layers 4 --hidden-size 64 --num-attention-heads 8 --position-embedding-type rope ";
  struct Case {
    const char* more;
    const char* message;
  };
  for (const Case& c :
       {Case{"", ""}, Case{"--expert-model-parallel-size 8 --moe-expert-capacity-factor 1.0", ""},
        Case{"--no-bias-gelu-fusion --recompute-num-layers 1 --moe-shared-expert-overlap", ""},
        Case{"--window-size 8",
             "--window-size: may change the count, but is not known (remove it where it does not)"},
        Case{"--num-expert 8",
             "--num-expert: may change the count, but is not known (did you mean 'num-experts'?)"},
        Case{"--num-experts 8", "--moe-router-topk: is missing (give it)"},
        Case{"--num-query-groups 2",
             "--num-query-groups: has no effect without --group-query-attention (both or neither)"},
        Case{"--swiglu 3", "--swiglu: 3 stands behind a switch (a switch takes no value)"},
        Case{"--num-layers 5", "--num-layers: is given twice (one of the two)"},
        Case{"--normalization rmsnorm",
             "--normalization: unknown 'rmsnorm' (LayerNorm or RMSNorm)"},
        Case{"--kv-channels $D",
             "--kv-channels: '$D' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
        Case{"--multi-latent-attention --kv-lora-rank 8",
             "--qk-layernorm: is missing (latent attention is known with its norms)"}}) {
    CAPTURE(c.more);
    CHECK(failure([&] { return import_megatron_arguments(sound + c.more); }) == c.message);
  }
  CHECK(failure([] {
          return import_megatron_arguments(
              "--num-layers 4 --hidden-size 64 --num-attention-heads 8");
        }) == "--max-position-embeddings: is missing (give it)");
}
