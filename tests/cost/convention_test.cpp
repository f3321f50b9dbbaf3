#include "smelt/convention.hpp"

#include <string>

#include "catch.hpp"
#include "smelt/budget.hpp"
#include "smelt/flops.hpp"
#include "smelt/kv_cache.hpp"
#include "smelt/parameters.hpp"

using namespace smelt;

namespace {

Model mixtral_8x7b() {
  Layer layer;
  layer.attention = GroupedQueryAttention{32, 8, 128};
  layer.ffn.num_experts = 8;
  layer.ffn.num_experts_per_tok = 2;
  layer.ffn.expert_width = 14336;
  Model model = uniform_stack(4096, 32, layer);
  model.vocab_size = 32000;
  return model;
}

Model llama_2_7b() {
  Layer layer;
  layer.attention = GroupedQueryAttention{32, 32, 128};
  layer.ffn.dense_width = 11008;
  Model model = uniform_stack(4096, 32, layer);
  model.vocab_size = 32000;
  return model;
}

Model qwen3_30b_a3b() {
  Layer layer;
  GroupedQueryAttention attention{32, 4, 128};
  attention.qk_norm = QkNorm::kPerHead;
  layer.attention = attention;
  layer.ffn.num_experts = 128;
  layer.ffn.num_experts_per_tok = 8;
  layer.ffn.expert_width = 768;
  Model model = uniform_stack(2048, 48, layer);
  model.vocab_size = 151936;
  return model;
}

Model folded_qwen3_30b_a3b() {
  Model model = qwen3_30b_a3b();
  model.layers.resize(24);
  for (Layer& layer : model.layers) layer.ffn.num_experts = 260;
  apply_loop(model, {0, 24, 2});
  return model;
}

/// 2 + 4 + 2 layers of 12 H^2 weights and 4 H vectors, a concatenated inject, 3 final norms;
/// windows 2048, then 1024, 1024, 1024, 2048 within the loop, then 2048.
Model looped_dense_stack(std::int64_t visits) {
  Layer layer;
  layer.attention = GroupedQueryAttention{10, 10, 128};
  layer.ffn.matrices = 2;
  layer.ffn.dense_width = 4 * 1280;
  layer.norms = 4;
  layer.window = {AttentionWindow::Kind::kSliding, 2048};
  Model model = uniform_stack(1280, 8, layer, LoopSpan{2, 4, visits});
  for (int i = 2; i < 5; ++i) model.layers[i].window.tokens = 1024;
  model.loop.inject_matrices = 2;
  model.final_norms = 3;
  model.vocab_size = 65536;
  model.sequence_length = 2048;
  return model;
}

Count training_flops(Model model, std::int64_t sequence_length, const std::string& convention) {
  model.sequence_length = sequence_length;
  return count_flops(model, convention_named(convention, "")).training_per_token;
}

}  // namespace

TEST_CASE("one step of Mixtral-8x7B over 1024 tokens costs 79.977 TFLOP") {
  const Model model = mixtral_8x7b();
  const double step = training_flops(model, 1024, "full,keys=full").to_double() * 1024 / 1e12;
  CHECK(step == Approx(79.977).margin(0.0005));
  Model all_experts = model;
  for (Layer& layer : all_experts.layers) layer.ffn.num_experts_per_tok = 8;
  const double mistaken = training_flops(all_experts, 1024, "full,keys=full").to_double() * 1024;
  CHECK(mistaken / 1e12 == Approx(287.784).margin(0.0005));
}

TEST_CASE("MaxText's rule on Llama-2-7B, 4 x 8192 tokens") {
  Model model = llama_2_7b();
  model.sequence_length = 8192;
  const FlopCounts flops = count_flops(model, convention_named("maxtext", ""));
  const double tokens = 4 * 8192 / 1e12;
  const double scores = flops.training_components[Component::kScores].to_double() * tokens;
  const double total = flops.training_per_token.to_double() * tokens;
  CHECK(scores == Approx(211.11).margin(0.005));
  CHECK(total - scores == Approx(1299.00).margin(0.005));
  CHECK(total == Approx(1510.11).margin(0.005));
  const FlopCounts whole = count_flops(model, convention_named("maxtext,keys=full", ""));
  CHECK(whole.training_components[Component::kScores].to_double() * tokens ==
        Approx(422.21).margin(0.005));
}

TEST_CASE("conventions on Qwen3-30B-A3B, exact") {
  struct Case {
    const char* convention;
    std::int64_t sequence_length;
    std::int64_t flops;
  };
  for (const Case& c : {Case{"torchtitan", 8192, 37'578'559'488},
                        Case{"torchtitan,norms=none", 8192, 37'577'293'824},
                        Case{"torchtitan,norms=none,keys=half", 8192, 27'913'617'408},
                        Case{"maxtext", 4096, 23'081'779'200}}) {
    CAPTURE(c.convention);
    CHECK(training_flops(qwen3_30b_a3b(), c.sequence_length, c.convention).value() == c.flops);
  }
}

TEST_CASE("the fold of Qwen3-30B-A3B matches under one name and not under another") {
  Model baseline = qwen3_30b_a3b();
  Model folded = folded_qwen3_30b_a3b();
  baseline.sequence_length = folded.sequence_length = 4096;
  const Count stored = count_parameters(folded).non_embedding;
  CHECK(stored.value() == 29'909'884'928);
  const Budget before = budget_of(baseline, convention_named("maxtext", ""));
  const Budget after = budget_of(folded, convention_named("maxtext", ""));
  CHECK(after.training_flops_per_token.value() == 23'159'635'968);
  CHECK(kv_bytes(after.kv_elements_per_token, KvDtype::kBf16).value() == 98'304);
  const Deviation off = deviation(after, before);
  CHECK(off.flops == Approx(0.00337).margin(5e-6));
  CHECK(off.params == Approx(3e-6).margin(5e-7));
  CHECK(off.kv == 0);
  CHECK(training_flops(folded, 4096, "megatron") == training_flops(baseline, 4096, "megatron"));
}

TEST_CASE("the looped dense stack under nanochat-looped, exact") {
  struct Case {
    std::int64_t visits;
    std::int64_t flops;
  };
  for (const Case& c : {Case{1, 1'671'413'760}, Case{2, 2'241'699'840}, Case{4, 3'382'272'000},
                        Case{6, 4'522'844'160}}) {
    CAPTURE(c.visits);
    const Model model = looped_dense_stack(c.visits);
    CHECK(count_parameters(model).total.value() == 328'380'160);
    CHECK(training_flops(model, 2048, "nanochat-looped").value() == c.flops);
  }
}

TEST_CASE("the head of GPT-3 costs 6 V H") {
  Layer layer;
  layer.attention = GroupedQueryAttention{96, 96, 128};
  layer.ffn.matrices = 2;
  layer.ffn.dense_width = 4 * 12288;
  Model model = uniform_stack(12288, 96, layer);
  model.vocab_size = 51200;
  model.sequence_length = 2048;
  for (const char* name : {"full", "megatron", "maxtext", "torchtitan", "palm", "olmo-core",
                           "levanter", "nanochat-looped"}) {
    CAPTURE(name);
    const FlopCounts flops = count_flops(model, convention_named(name, ""));
    CHECK(flops.training_components[Component::kOutputHead].value() == 3'774'873'600);
  }
}
