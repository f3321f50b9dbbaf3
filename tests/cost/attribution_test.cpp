#include "smelt/attribution.hpp"

#include "catch.hpp"
#include "smelt/convention_report.hpp"
#include "smelt/cost.hpp"
#include "smelt/kv_report.hpp"

using namespace smelt;

namespace {

Model qwen3_30b_a3b(std::int64_t layers, std::int64_t experts) {
  Layer layer;
  GroupedQueryAttention attention{32, 4, 128};
  attention.qk_norm = QkNorm::kPerHead;
  layer.attention = attention;
  layer.ffn.num_experts = experts;
  layer.ffn.num_experts_per_tok = 8;
  layer.ffn.expert_width = 768;
  Model model = uniform_stack(2048, layers, layer);
  model.vocab_size = 151936;
  model.sequence_length = 4096;
  return model;
}

}  // namespace

TEST_CASE("the fold of Qwen3-30B-A3B deviates in its router alone") {
  Model folded = qwen3_30b_a3b(24, 260);
  apply_loop(folded, {0, 24, 2});
  const Model baseline = qwen3_30b_a3b(48, 128);
  const auto parts = attribute_deviation(folded, baseline, convention_named("maxtext", ""));
  REQUIRE(!parts.empty());
  CHECK(parts.front().component == Component::kRouter);
  CHECK(parts.front().flops == Approx(0.00337).margin(5e-6));
  double params = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) CHECK(parts[i].flops == 0);
    params += parts[i].params;
  }
  CHECK(params == Approx(3.08e-6).margin(1e-8));
}

TEST_CASE("the fold holds under every convention, exactly under megatron alone") {
  Model folded = qwen3_30b_a3b(24, 260);
  apply_loop(folded, {0, 24, 2});
  for (const ConventionMatch& match : match_under_conventions(folded, qwen3_30b_a3b(48, 128), {})) {
    INFO(match.convention.name);
    REQUIRE(match.deviation.has_value());
    const bool by_stored = match.convention.weights == WeightRule::kTotal;
    CHECK(match.holds);
    CHECK((match.deviation->flops == 0) == (match.convention.name == "megatron"));
    CHECK((by_stored || match.deviation->flops >= 0));
  }
}

TEST_CASE("the switches between two conventions add up to their gap") {
  const Model model = qwen3_30b_a3b(48, 128);
  for (const ConventionRow& row : count_under_conventions(model)) {
    INFO(row.convention.name);
    REQUIRE(row.training_per_token.has_value());
    Count sum = count_flops(model, conventions().front()).training_per_token;
    for (const SwitchEffect& effect : row.gap) sum += effect.flops;
    CHECK(sum == *row.training_per_token);
  }
}

TEST_CASE("a windowed cache needs less than an engine reserves") {
  Model model = qwen3_30b_a3b(4, 128);
  model.layers[0].window = {AttentionWindow::Kind::kSliding, 1000};
  const KvAtContext kv = kv_at_context(model, 10'000, 3, KvDtype::kBf16);
  // 2 x 512 elements of 2 bytes a layer and token
  CHECK(kv.needed_bytes.value() == 3 * 2048 * (1000 + 3 * 10'000));
  CHECK(kv.reserved_bytes.value() == 3 * 2048 * 4 * 10'000);
  // 32 elements in 16 bytes and a scale of 2
  CHECK(kv_bytes(64, KvDtype::kInt4).value() == 36);
  CHECK(kv_bytes(33, KvDtype::kInt4).value() == 17 + 4);
}
