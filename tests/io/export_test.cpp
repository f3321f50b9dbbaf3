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
      "--num-layers 4 --hidden-size 64 \\\n --num-attention-heads 8 --group-query-attention "
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
  CHECK(failure([] { return import_megatron_arguments("--num-layers 4 --window-size 8"); }) ==
        "--window-size: may change the count, but is not known (remove it where it does not)");
}
