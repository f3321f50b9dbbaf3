#include "smelt/cost.hpp"

#include <string>

#include "catch.hpp"
#include "smelt/rational.hpp"

using Attention = smelt::GroupedQueryAttention;
using smelt::Component;
using smelt::Count;
using smelt::Ffn;
using smelt::Int128;
using smelt::Layer;
using smelt::Model;

namespace {

Layer layer_of(const Attention& attention, const Ffn& ffn) {
  Layer layer;
  layer.attention = attention;
  layer.ffn = ffn;
  return layer;
}

smelt::Convention convention(const char* name) { return smelt::convention_named(name, ""); }

/// deepseek-moe-16b-base: one dense layer, then 27 with 64 routed and 2 shared experts.
Model deepseek_moe_16b() {
  const Attention attention{16, 16, 128};
  Model model = smelt::uniform_stack(2048, 28, layer_of(attention, {3, 64, 6, 1408, 2, 1408, 0}));
  model.layers.front().ffn = {3, 0, 0, 0, 0, 0, 10944};
  model.vocab_size = 102400;
  return model;
}

Model mixtral_8x7b() {
  Model model = smelt::uniform_stack(4096, 32, layer_of({32, 8, 128}, {3, 8, 2, 14336, 0, 0, 0}));
  model.vocab_size = 32000;
  return model;
}

Model llama_2_7b() {
  Model model = smelt::uniform_stack(4096, 32, layer_of({32, 32, 128}, {3, 0, 0, 0, 0, 0, 11008}));
  model.vocab_size = 32000;
  return model;
}

struct PublishedCounts {
  const char* name;
  Model model;
  std::int64_t total;          // parameters of the released checkpoint
  std::int64_t active;         // without embeddings
  std::int64_t kv_bytes_bf16;  // per token
};

}  // namespace

TEST_CASE("released models have the parameters of their checkpoints") {
  const PublishedCounts cases[] = {
      {"DeepSeek-MoE-16B, shared experts and a dense first layer", deepseek_moe_16b(),
       16'375'728'128, 2'409'220'096, 229'376},
      {"Mixtral-8x7B, grouped-query attention", mixtral_8x7b(), 46'702'792'704, 12'617'781'248,
       131'072},
      {"Llama-2-7B, dense", llama_2_7b(), 6'738'415'616, 6'476'271'616, 524'288},
  };
  for (const PublishedCounts& expected : cases) {
    INFO(expected.name);
    const smelt::ParameterCounts counts = smelt::count_parameters(expected.model);
    CHECK(counts.total == expected.total);
    CHECK(counts.active == expected.active);
    CHECK(counts.components.total() == counts.total);
    CHECK(counts.active_components.total() == counts.active);
    CHECK(smelt::kv_bytes(smelt::kv_elements_per_token(expected.model), smelt::KvDtype::kBf16) ==
          expected.kv_bytes_bf16);
  }
}

TEST_CASE("shared experts are n_s g H F_s a layer") {
  // 27 layers x 2 shared experts x 3 matrices x 2048 x 1408.
  const smelt::ParameterCounts counts = smelt::count_parameters(deepseek_moe_16b());
  CHECK(counts.components[Component::kSharedExperts] == 467'140'608);
  CHECK(counts.active_components[Component::kSharedExperts] == 467'140'608);
}

TEST_CASE("FLOPs fixtures from independent arithmetic") {
  SECTION("the output head of GPT-3, 6 V H") {
    Model model =
        smelt::uniform_stack(12288, 1, layer_of({96, 96, 128}, {2, 0, 0, 0, 0, 0, 49152}));
    model.vocab_size = 51200;
    model.attended_keys = 1;
    const smelt::FlopCounts flops = smelt::count_flops(model, convention("full"));
    CHECK(flops.training_components[Component::kOutputHead] == 3'774'873'600);
  }
  SECTION("Qwen3-30B-A3B folded to 24 layers visited twice, S = 4096, causal S/2") {
    Model model = smelt::uniform_stack(2048, 24, layer_of({32, 4, 128}, {3, 260, 8, 768, 0, 0, 0}),
                                       smelt::LoopSpan{0, 24, 2});
    model.vocab_size = 151936;
    model.attended_keys = 2048;
    const smelt::FlopCounts flops = smelt::count_flops(model, convention("full"));
    CHECK(flops.training_per_token == 23'159'635'968);
    CHECK(flops.forward_per_token * 3 == flops.training_per_token);
    CHECK(smelt::kv_elements_per_token(model) * 2 == 98'304);
  }
  SECTION("half a key rounds nothing: 12 Q n at n = 2.5") {
    Model model = smelt::uniform_stack(8, 1, layer_of({2, 1, 4}, {3, 0, 0, 0, 0, 0, 16}));
    model.attended_keys = smelt::Rational(5, 2);
    const smelt::FlopCounts flops = smelt::count_flops(model, convention("paper"));
    CHECK(flops.training_components[Component::kScores] == 12 * 8 * 5 / 2);
  }
}

TEST_CASE("conventions differ by the terms they name") {
  Model model = mixtral_8x7b();
  model.attended_keys = 512;
  const auto training = [&](const char* name) {
    return smelt::count_flops(model, convention(name)).training_per_token;
  };
  const Count norms = (32 * 2 + 1) * 4096;
  const Count scores = Count(12) * 4096 * 512 * 32;
  CHECK(training("paper") - training("matmul") == norms * 6);
  CHECK(training("paper") - training("6n") == scores);
  CHECK(training("full") - training("matmul") == Count(6) * 32000 * 4096);
  CHECK(training("6n") == smelt::count_parameters(model).executed_active * 6);
}

TEST_CASE("an absurd model gives the exact count or an overflow, never a wrapped number") {
  const auto absurd = [](std::int64_t width) {
    Model model = smelt::uniform_stack(
        1'000'000, 10'000, layer_of({10'000, 10, 100}, {3, 1'000'000, 8, width, 0, 0, 0}));
    model.attended_keys = 1000;
    return model;
  };
  SECTION("F = 10^6: 3e22 expert weights") {
    CHECK_THROWS_AS(smelt::count_parameters(absurd(1'000'000)), smelt::CountOverflow);
  }
  SECTION("F = 100: 3e18 expert weights, against arithmetic in 128 bits") {
    const smelt::ParameterCounts counts = smelt::count_parameters(absurd(100));
    const Int128 h = 1'000'000;
    const Int128 attention = 2 * h * 1'000'000 + 2 * h * 1000;
    const Int128 router = h * 1'000'000;
    const Int128 expert = 3 * h * 100;
    const Int128 total = 10'000 * (attention + router + 1'000'000 * expert + 2 * h) + h;
    const Int128 active = 10'000 * (attention + router + 8 * expert + 2 * h) + h;
    CHECK(Int128{counts.non_embedding.value()} == total);
    CHECK(Int128{counts.active.value()} == active);
    CHECK(counts.non_embedding == 3'030'020'020'001'000'000);
    const smelt::FlopCounts flops = smelt::count_flops(absurd(100), convention("paper"));
    CHECK(Int128{flops.training_per_token.value()} == 6 * active + 10'000 * 12 * h * 1000);
  }
}

TEST_CASE("properties of the cost model") {
  const Attention attention{12, 2, 88};
  Model experts = smelt::uniform_stack(1056, 12, layer_of(attention, {3, 8, 8, 352, 0, 0, 0}));
  experts.attended_keys = 392;

  SECTION("k = E is a dense FFN of width k F, but for the router") {
    Model dense = smelt::uniform_stack(1056, 12, layer_of(attention, {3, 0, 0, 0, 0, 0, 8 * 352}));
    dense.attended_keys = 392;
    const Count router = Count(12) * 1056 * 8;
    CHECK(smelt::count_parameters(experts).active - smelt::count_parameters(dense).active ==
          router);
    CHECK(smelt::count_flops(experts, convention("paper")).training_per_token -
              smelt::count_flops(dense, convention("paper")).training_per_token ==
          router * 6);
  }
  SECTION("a plain FFN has two matrices where a gated one has three") {
    Model plain = experts;
    for (Layer& layer : plain.layers) layer.ffn.matrices = 2;
    CHECK(smelt::count_parameters(plain).components[Component::kExperts] * 3 ==
          smelt::count_parameters(experts).components[Component::kExperts] * 2);
  }
  SECTION("a loop visited once is the plain stack") {
    Model once = experts;
    smelt::apply_loop(once, {3, 6, 1});
    CHECK(once == experts);
  }
  SECTION("two visits of all layers double what is executed and store nothing more") {
    Model twice = experts;
    smelt::apply_loop(twice, {0, 12, 2});
    const smelt::ParameterCounts one = smelt::count_parameters(experts);
    const smelt::ParameterCounts two = smelt::count_parameters(twice);
    CHECK(two.total == one.total);
    CHECK(two.active == one.active);
    CHECK(two.executed_active == one.executed_active * 2 - 1056);  // the final norm runs once
    CHECK(smelt::kv_elements_per_token(twice) == smelt::kv_elements_per_token(experts) * 2);
    for (const smelt::KvPolicy policy : {smelt::KvPolicy::kShared, smelt::KvPolicy::kLast}) {
      CHECK(smelt::kv_elements_per_token(twice, policy) == smelt::kv_elements_per_token(experts));
    }
  }
  SECTION("a tied output head is not stored") {
    Model untied = experts;
    untied.vocab_size = 1000;
    Model tied = untied;
    tied.tie_word_embeddings = true;
    CHECK(smelt::count_parameters(untied).total - smelt::count_parameters(tied).total == 1'056'000);
    CHECK(smelt::count_parameters(tied).non_embedding ==
          smelt::count_parameters(experts).non_embedding);
  }
}
