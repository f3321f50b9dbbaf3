#include "smelt/model_file.hpp"

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "io/scratch_folder.hpp"

using smelt::Model;
using smelt::Rational;

namespace {

Model read(const std::string& text) { return smelt::read_model(smelt::parse_json(text)); }

/// A sound model file with the line of `key` replaced by `line`, or left out where that is empty.
std::string file_with(const std::string& key, const std::string& line) {
  struct Entry {
    const char* key;
    const char* value;
  };
  const Entry entries[] = {
      {"model_type", "\"smelt\""},      {"hidden_size", "1056"},
      {"num_hidden_layers", "12"},      {"num_attention_heads", "12"},
      {"num_key_value_heads", "2"},     {"head_dim", "88"},
      {"num_experts", "288"},           {"num_experts_per_tok", "8"},
      {"moe_intermediate_size", "352"}, {"loop", R"({"start": 3, "length": 6, "visits": 2})"},
      {"attended_keys", "392"}};
  std::string text;
  const auto add = [&](const std::string& member) { text += (text.empty() ? "{" : ", ") + member; };
  bool replaced = false;
  for (const Entry& entry : entries) {
    const bool here = key == entry.key;
    replaced = replaced || here;
    if (!here) add(std::string("\"").append(entry.key).append("\": ").append(entry.value));
    if (here && !line.empty()) add(line);
  }
  if (!replaced) add(line);
  return text + "}";
}

}  // namespace

TEST_CASE("the worked example's model file is read") {
  const Model model = read(file_with("name", R"("name": "smelt-200m-s95")"));
  CHECK(model.name == "smelt-200m-s95");
  CHECK(model.hidden_size == 1056);
  CHECK(model.num_layers() == 12);
  CHECK(smelt::is_uniform(model));
  CHECK(smelt::loop_spans(model) == std::vector<smelt::LoopSpan>{{3, 6, 2}});
  const smelt::Layer& layer = model.layers.front();
  CHECK(layer.attention == smelt::Attention(smelt::GroupedQueryAttention{12, 2, 88}));
  CHECK(layer.ffn == smelt::Ffn{3, 288, 8, 352, 0, 0, 0});
  CHECK(layer.norms == 2);
  CHECK(model.vocab_size == 0);
  CHECK_FALSE(model.tie_word_embeddings);
  CHECK(model.attended_keys == Rational(392));
}

TEST_CASE("absent keys take their defaults") {
  const Model dense = read(R"({"model_type": "smelt", "hidden_size": 96, "num_hidden_layers": 2,
      "num_attention_heads": 3, "intermediate_size": 200})");
  CHECK(dense.layers.front().attention == smelt::Attention(smelt::GroupedQueryAttention{3, 3, 32}));
  CHECK(dense.layers.front().ffn == smelt::Ffn{3, 0, 0, 0, 0, 0, 200});
  CHECK_FALSE(dense.attended_keys.has_value());
  const Model shared = read(file_with("x", R"("num_shared_experts": 2)"));
  CHECK(shared.layers.front().ffn == smelt::Ffn{3, 288, 8, 352, 2, 352, 0});
}

TEST_CASE("every mistake of a model file has its one line") {
  struct Case {
    const char* key;
    const char* line;  ///< what stands there instead
    const char* message;
  };
  const Case cases[] = {
      {"hidden_size", R"("hidden_size": "1056")", "/hidden_size: is a string, not a whole number"},
      {"hidden_size", R"("hidden_size": null)", "/hidden_size: is null, not a whole number"},
      {"hidden_size", R"("hidden_size": true)",
       "/hidden_size: is true or false, not a whole number"},
      {"hidden_size", R"("hidden_size": [1])", "/hidden_size: is an array, not a whole number"},
      {"hidden_size", R"("hidden_size": 0)",
       "/hidden_size: 0 is too small (a whole number from 1 to 1,000,000,000)"},
      {"hidden_size", R"("hidden_size": -8)",
       "/hidden_size: -8 is too small (a whole number from 1 to 1,000,000,000)"},
      {"hidden_size", R"("hidden_size": 2.9)",
       "/hidden_size: 2.9 is not a whole number (a whole number from 1 to 1,000,000,000)"},
      {"hidden_size", R"("hidden_size": 1e25)",
       "/hidden_size: 1e25 is out of range (at most 18 digits, and below 9.2e18)"},
      {"hidden_size", R"("hidden_size": 18446744073709552672)",
       "/hidden_size: 18446744073709552672 is out of range (at most 18 digits, and below 9.2e18)"},
      {"hidden_size", R"("hidden_size": 1000000001)",
       "/hidden_size: 1000000001 is too large (a whole number from 1 to 1,000,000,000)"},
      {"hidden_size", "", "/hidden_size: is missing"},
      {"hidden_size", R"("hiden_size": 1056)",
       "/hiden_size: unknown key (did you mean 'hidden_size'?)"},
      {"num_hidden_layers", R"("num_hidden_layers": 100001)",
       "/num_hidden_layers: 100001 is too large (a whole number from 1 to 100,000)"},
      {"num_hidden_layers", "", "/num_hidden_layers: is missing"},
      {"num_attention_heads", "", "/num_attention_heads: is missing"},
      {"num_attention_heads", R"("num_attention_heads": "12")",
       "/num_attention_heads: is a string, not a whole number"},
      {"num_key_value_heads", R"("num_key_value_heads": 5)",
       "/num_key_value_heads: 5 does not divide the 12 query heads (a divisor of "
       "num_attention_heads)"},
      {"num_experts", "", "/num_experts: is missing"},
      {"num_experts", R"("num_expert": 288)",
       "/num_expert: unknown key (did you mean 'num_experts'?)"},
      {"num_experts_per_tok", "", "/num_experts_per_tok: is missing"},
      {"num_experts_per_tok", R"("num_experts_per_tok": 289)",
       "/num_experts_per_tok: 289 experts per token, but 288 are stored (at most num_experts)"},
      {"moe_intermediate_size", "", "/moe_intermediate_size: is missing"},
      {"loop", R"("loop": {"start": 7, "length": 6, "visits": 2})",
       "/loop: a span of 6 layers from layer 7 leaves the stack (the stack has layers 0 to 11)"},
      {"loop", R"("loop": {"start": 3, "length": 6, "visits": 0})",
       "/loop/visits: 0 is too small (a whole number from 1 to 1,000,000)"},
      {"loop", R"("loop": {"start": 3, "length": 6})", "/loop/visits: is missing"},
      {"loop", R"("loop": {"start": 3, "length": 6, "visits": 2, "stop": 9})",
       "/loop/stop: unknown key"},
      {"loop", R"("loop": "1/2x2")", "/loop: is a string, not an object"},
      {"attended_keys", R"("attended_keys": 0)",
       "/attended_keys: 0 is too small (above 0 and at most 1e12)"},
      {"attended_keys", R"("attended_keys": 1e13)",
       "/attended_keys: 10000000000000 is too large (above 0 and at most 1e12)"},
      {"attended_keys", R"("attended_keys": "392")", "/attended_keys: is a string, not a number"},
      {"name", R"("name": 7)", "/name: is a number, not a string"},
      {"name", R"("name": "a\tb")", R"(/name: 'a\u0009b' holds a control character)"},
      {"ffn_matrices", R"("ffn_matrices": 4)",
       "/ffn_matrices: 4 is too large (a whole number from 2 to 3)"},
      {"tie_word_embeddings", R"("tie_word_embeddings": 1)",
       "/tie_word_embeddings: is a number, not true or false"},
      {"intermediate_size", R"("intermediate_size": 704)",
       "/intermediate_size: names a dense FFN, but the model has experts (moe_intermediate_size "
       "alone)"},
      {"shared_expert_intermediate_size", R"("shared_expert_intermediate_size": 64)",
       "/num_shared_experts: is missing"},
      {"model_type", R"("model_type": "smeltt")",
       "/model_type: unknown model_type 'smeltt' (--as FAMILY for one derived from a known family, "
       "see smelt families)"},
      {"model_type", "",
       "/model_type: is missing (\"smelt\" for smelt's own form, or a Hugging Face family's)"},
      {"layer", R"("layer": 12)", "/layer: unknown key (did you mean 'layers'?)"},
      {"norm", R"("norm": "batch")",
       "/norm: unknown norm 'batch' (weight, weight_and_bias or weightless)"},
      {"qk_norm", R"("qk_norm": "half")",
       "/qk_norm: unknown norm 'half' (none, per_head, full or weightless)"},
      {"attention_bias", R"("attention_bias": ["query", "router"])",
       "/attention_bias: lists what is no projection (query, key, value or output)"},
      {"sliding_window", R"("sliding_window": 8, "attention_chunk_size": 8)",
       "/attention_chunk_size: stands beside sliding_window (one of the two)"},
      {"loop", R"("loop": {"spans": [], "kv": "most"})",
       "/loop/kv: unknown cache policy 'most' (one of per_visit, shared, first, last, budget)"},
      {"documents", R"("documents": {"law": "normal", "mean_length": 7})",
       "/documents/law: unknown document law 'normal' (constant or geometric)"},
      {"documents", R"("documents": {"lengths": [7, 0]})",
       "/documents/lengths: 0 is too small (a whole number from 1 to 1,000,000,000,000)"},
      {"extras", R"("extras": [{"matrix": 7}])", "/extras/0/name: is missing"},
  };
  for (const Case& c : cases) {
    INFO(c.line << " for " << c.key);
    CHECK(failure([&] { read(file_with(c.key, c.line)); }) == c.message);
  }
}

TEST_CASE("a model needs an FFN, a whole head size and an object") {
  CHECK(failure([] { read("[]"); }) == "is an array, not an object ({\"key\": ...})");
  CHECK(failure([] {
          read(R"({"model_type": "smelt", "hidden_size": 100, "num_hidden_layers": 2,
                   "num_attention_heads": 3, "intermediate_size": 8})");
        }) ==
        "/head_dim: is missing, and hidden_size 100 is no multiple of 3 query heads (give "
        "head_dim)");
  CHECK(failure([] {
          read(R"({"model_type": "smelt", "hidden_size": 96, "num_hidden_layers": 2,
                   "num_attention_heads": 3, "num_shared_experts": 8})");
        }) ==
        "no feed-forward width is given (num_experts, num_experts_per_tok and "
        "moe_intermediate_size, or intermediate_size)\n"
        "/num_shared_experts: stands without num_experts (a model with experts)");
}

TEST_CASE("all mistakes of a file are reported at once") {
  CHECK(failure([] {
          read(R"({"model_type": "smelt", "hiden_size": 3, "num_hidden_layers": 12,
                   "num_attention_heads": 0, "num_experts": 8, "num_experts_per_tok": 9,
                   "moe_intermediate_size": 64,
                   "loop": {"start": 13, "length": 6, "visits": 2}})");
        }) ==
        "/num_attention_heads: 0 is too small (a whole number from 1 to 1,000,000,000)\n"
        "/hiden_size: unknown key (did you mean 'hidden_size'?)\n"
        "/num_experts_per_tok: 9 experts per token, but 8 are stored (at most num_experts)\n"
        "/loop: a span of 6 layers from layer 13 leaves the stack (the stack has layers 0 to 11)");
}

TEST_CASE("a flood of unknown keys is cut short") {
  std::string text = R"({"model_type": "smelt", "hidden_size": 96, "num_hidden_layers": 2,
                         "num_attention_heads": 3, "intermediate_size": 8)";
  for (int i = 0; i < 1000; ++i)
    text += ", \"" + std::string(40, 'z') + std::to_string(i) + "\": 1";
  const std::string message = failure([&] { read(text + "}"); });
  CHECK(std::count(message.begin(), message.end(), '\n') == 10);
  CHECK(message.find("990 more unknown keys") != std::string::npos);
}

namespace {

/// A sound model with every field drawn at random.
Model random_model(std::mt19937_64& random) {
  const auto draw = [&](std::int64_t lowest, std::int64_t highest) {
    return lowest +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(highest - lowest + 1));
  };
  smelt::Layer layer;
  const std::int64_t kv_heads = draw(1, 8);
  layer.attention = smelt::GroupedQueryAttention{kv_heads * draw(1, 8), kv_heads, draw(1, 256)};
  layer.ffn.matrices = draw(2, 3);
  layer.norms = draw(0, 4);
  if (draw(0, 2) == 0) {
    layer.ffn.dense_width = draw(1, 100'000);
  } else {
    layer.ffn.num_experts = draw(1, smelt::kLargestSize);
    layer.ffn.num_experts_per_tok = draw(1, layer.ffn.num_experts);
    layer.ffn.expert_width = draw(1, 10'000);
    layer.ffn.num_shared_experts = draw(0, 2);
    layer.ffn.shared_expert_width = layer.ffn.num_shared_experts > 0 ? draw(1, 10'000) : 0;
  }
  const std::int64_t num_layers = draw(1, 40);
  Model model = smelt::uniform_stack(draw(1, smelt::kLargestSize), num_layers, layer);
  if (draw(0, 1) == 1) model.name.append("modèle \"").append(std::to_string(draw(0, 99)));
  model.vocab_size = draw(0, 1) * draw(1, 300'000);
  model.tie_word_embeddings = draw(0, 1) == 1;
  if (draw(0, 1) == 1) {
    const std::int64_t start = draw(0, num_layers - 1);
    smelt::apply_loop(model, {start, draw(1, num_layers - start), draw(1, 9)});
  }
  const std::int64_t places[] = {1, 2, 8, 1000, 1'000'000'000'000};
  if (draw(0, 2) > 0)
    model.attended_keys = Rational(draw(1, 1'000'000'000'000), places[draw(0, 4)]);
  return model;
}

}  // namespace

TEST_CASE("a model that is written reads back the same") {
  std::mt19937_64 random(20240607);
  for (int round = 0; round < 2000; ++round) {
    const Model model = random_model(random);
    const std::string text = smelt::write_model(model);
    INFO(text);
    CHECK(read(text) == model);
  }
}

TEST_CASE("layers that differ and several loops are written as runs and spans") {
  Model model = read(file_with("loop", ""));
  model.layers[0].norms = 4;
  model.layers[11].window = {smelt::AttentionWindow::Kind::kChunked, 64};
  smelt::apply_loop(model, {1, 2, 2});
  smelt::apply_loop(model, {5, 2, 3});
  model.loop = {smelt::LoopOrder::kLayer, smelt::KvPolicy::kBudget, 2, 2, 1, 8, 1};
  model.documents = smelt::ListedDocuments{{100, 900}};
  const std::string text = smelt::write_model(model);
  INFO(text);
  CHECK(read(text) == model);
  const smelt::JsonValue json = smelt::parse_json(text);
  CHECK(json.find("layers")->if_array()->size() == 3);
  CHECK(json.find("loop")->find("spans")->if_array()->size() == 2);
}

TEST_CASE("published models read back the same from smelt's own form") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SMELT_TEST_DATA "/models")) {
    const std::string file = entry.path().filename().string();
    if (file.find(".config.json") == std::string::npos) continue;
    INFO(file);
    const Model model = smelt::read_model_file(entry.path());
    CHECK(read(smelt::write_model(model)) == model);
    ++files;
  }
  CHECK(files == 35);
}

TEST_CASE("a model file without a name takes the file's") {
  const ScratchFolder folder("model-file");
  CHECK(smelt::read_model_file(folder.write("mine-1.5b.json", file_with("loop", ""))).name ==
        "mine-1.5b");
  const auto wrong = folder.write("wrong.json", file_with("head_dim", R"("head_dim": 0)"));
  CHECK(failure([&] { smelt::read_model_file(wrong); }) ==
        wrong.string() + ": /head_dim: 0 is too small (a whole number from 1 to 1,000,000,000)");
}
