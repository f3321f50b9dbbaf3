#include "smelt/operators.hpp"

#include <map>

#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/error.hpp"
#include "smelt/random.hpp"
#include "smelt/routing.hpp"

namespace smelt {
namespace {

Model moe_model(std::int64_t hidden, std::int64_t layers, GroupedQueryAttention attention, Ffn ffn,
                const char* loop, Rational keys) {
  Model model =
      uniform_stack(hidden, layers, {attention, ffn, 2, 1, {}}, parse_loop(loop, layers, ""));
  model.attended_keys = keys;
  return model;
}

/// The paper's 200M, 192-expert Baseline and the SMELT model matched to it.
Model baseline_200m() { return moe_model(1280, 12, {16, 2, 80}, {3, 192, 8, 432}, "none", 392); }
Model smelt_200m() { return moe_model(1056, 12, {12, 2, 88}, {3, 288, 8, 352}, "1/2x2", 392); }

Workload workload(const Layer& layer, std::int64_t tokens, ExecutionPhase phase) {
  Workload work{tokens, phase, 2, {}};
  if (layer.ffn.num_experts > 0) {
    work.expert_rows =
        expert_rows({}, tokens, layer.ffn.num_experts_per_tok, layer.ffn.num_experts);
  }
  return work;
}

Count stack_flops(const Model& model, std::int64_t tokens, ExecutionPhase phase) {
  Count flops;
  for (const Layer& layer : model.layers) {
    const SublayerCounts counts = layer_counts(model, layer).ffn;
    for (const Operator& op : layer_operators(model, layer, workload(layer, tokens, phase))) {
      flops += op.flops * (op.pass == Pass::kForward ? counts.executed : counts.backward);
    }
  }
  return flops;
}

/// Latent attention with windows of 3 keys on every other layer, as no real model mixes them.
Model latent_model() {
  LatentAttention attention;
  attention.num_heads = 4;
  attention.q_lora_rank = 24;
  attention.kv_lora_rank = 16;
  attention.qk_nope_head_dim = 12;
  attention.qk_rope_head_dim = 8;
  attention.v_head_dim = 10;
  Model model = uniform_stack(64, 4, {attention, {3, 8, 2, 24}, 2, 1, {}});
  model.layers[1].window = {AttentionWindow::Kind::kSliding, 3};
  model.layers[2].attention =
      GroupedQueryAttention{4, 2, 16, QkNorm::kNone, {}, false, true, false};
  model.attended_keys = 40;
  return model;
}

Model truncated_loop() {
  Model model = smelt_200m();
  for (Layer& layer : model.layers) {
    if (layer.visits > 1) layer.visits = 5;
  }
  model.loop.backward_visits = 2;
  return model;
}

Model gated_shared() {
  Model model = moe_model(64, 2, {4, 4, 16}, {3, 8, 2, 24, 2, 40}, "none", 17);
  for (Layer& layer : model.layers) layer.ffn.shared_expert_gate = true;
  return model;
}

TEST_CASE("operators' FLOPs add up to the cost model's, exactly") {
  const std::map<std::string, Model> cases = {
      {"Baseline 200M", baseline_200m()},
      {"SMELT 200M", smelt_200m()},
      {"half keys", moe_model(64, 4, {4, 2, 16}, {3, 8, 2, 24}, "2-3x3", Rational(9, 2))},
      {"shared experts", moe_model(64, 2, {4, 4, 16}, {3, 8, 2, 24, 2, 40}, "none", 17)},
      {"latent, windowed, gated attention", latent_model()},
      {"backward through two of five visits", truncated_loop()},
      {"gated shared experts", gated_shared()},
      {"dense, plain", moe_model(96, 3, {3, 1, 32}, {2, 0, 0, 0, 0, 0, 384}, "none", 100)},
  };
  for (const auto& [name, model] : cases) {
    for (const std::int64_t tokens : {1, 7, 4096}) {
      INFO(name << ", " << tokens << " tokens");
      const FlopCounts per_token = count_flops(model, convention_named("matmul", ""));
      CHECK(stack_flops(model, tokens, ExecutionPhase::kTrain) ==
            per_token.training_per_token * tokens);
      CHECK(stack_flops(model, tokens, ExecutionPhase::kForward) ==
            per_token.forward_per_token * tokens);
      CHECK(stack_flops(model, tokens, ExecutionPhase::kDecode) ==
            per_token.forward_per_token * tokens);
    }
  }
}

const Operator& find(const std::vector<Operator>& ops, OperatorKind kind, Pass pass) {
  for (const Operator& op : ops) {
    if (op.kind == kind && op.pass == pass) return op;
  }
  throw std::logic_error("no such operator");
}

TEST_CASE("bytes of each operator by hand") {
  // T 10, H 8, Q 8, W 4, E 4, k 2, F 6, n 5.5, two bytes an element; 20 rows in 4 experts of 5.
  const Model model = moe_model(8, 1, {4, 2, 2}, {3, 4, 2, 6}, "none", Rational(11, 2));
  const std::vector<Operator> ops = layer_operators(
      model, model.layers[0], workload(model.layers[0], 10, ExecutionPhase::kTrain));
  const auto bytes = [&](OperatorKind kind, Pass pass) {
    return find(ops, kind, pass).bytes.value();
  };
  CHECK(bytes(OperatorKind::kQkvProjection, Pass::kForward) == 2 * (80 + 8 * 16 + 160));
  CHECK(bytes(OperatorKind::kAttentionCore, Pass::kForward) == 2 * (80 + 80 + 80));
  CHECK(bytes(OperatorKind::kAttentionCore, Pass::kBackward) == 2 * 10 * (4 * 8 + 4 * 4));
  CHECK(bytes(OperatorKind::kRouter, Pass::kForward) == 2 * (80 + 32 + 40));
  CHECK(bytes(OperatorKind::kTopK, Pass::kForward) == 2 * (40 + 20) + 4 * 20);
  CHECK(bytes(OperatorKind::kPermute, Pass::kForward) == 2 * (80 + 160) + 4 * 20);
  CHECK(bytes(OperatorKind::kGateUp, Pass::kForward) == 2 * (20 * 8 + 4 * 8 * 12 + 20 * 12));
  CHECK(bytes(OperatorKind::kActivation, Pass::kForward) == 2 * 20 * 18);
  CHECK(bytes(OperatorKind::kActivation, Pass::kBackward) == 2 * 20 * 30);
  CHECK(bytes(OperatorKind::kDown, Pass::kBackwardWeight) == 2 * (20 * 6 + 20 * 8 + 4 * 6 * 8));
  CHECK(bytes(OperatorKind::kCombine, Pass::kForward) == 2 * (160 + 20 + 80) + 4 * 20);
  CHECK(ops.front().kind == OperatorKind::kNorms);
  CHECK(ops.back().kind == OperatorKind::kNorms);
}

TEST_CASE("weights of an expert without rows are not read, but their gradient is written") {
  const Model model = moe_model(8, 1, {4, 2, 2}, {3, 4, 2, 6}, "none", 5);
  Workload work = workload(model.layers[0], 10, ExecutionPhase::kTrain);
  work.expert_rows = {10, 10, 0, 0};
  const std::vector<Operator> ops = layer_operators(model, model.layers[0], work);
  CHECK(find(ops, OperatorKind::kGateUp, Pass::kForward).bytes ==
        2 * (20 * 8 + 2 * 8 * 12 + 20 * 12));
  CHECK(find(ops, OperatorKind::kGateUp, Pass::kBackwardWeight).bytes ==
        2 * (20 * 8 + 4 * 8 * 12 + 20 * 12));
}

TEST_CASE("decoding reads the cached keys and values") {
  const Model model = moe_model(8, 1, {4, 2, 2}, {3, 4, 2, 6}, "none", 1000);
  const std::vector<Operator> ops = layer_operators(
      model, model.layers[0], workload(model.layers[0], 3, ExecutionPhase::kDecode));
  CHECK(find(ops, OperatorKind::kAttentionCore, Pass::kForward).bytes ==
        2 * (3 * 16 + 3 * 8 * 1000));
  for (const Operator& op : ops) CHECK(op.pass == Pass::kForward);
}

TEST_CASE("what the time model does not know is refused") {
  const auto work = workload(baseline_200m().layers[0], 8, ExecutionPhase::kTrain);
  Model injected = baseline_200m();
  injected.loop.inject_matrices = 1;
  CHECK_THROWS_AS(layer_operators(injected, injected.layers[0], work), InputError);
  Model linear = baseline_200m();
  linear.layers[0].attention = GatedLinearAttention{4, 8, 16, 16, 4};
  CHECK_THROWS_AS(layer_operators(linear, linear.layers[0], work), InputError);
}

TEST_CASE("a model without attended keys is refused") {
  Model model = baseline_200m();
  model.attended_keys.reset();
  CHECK_THROWS_AS(
      layer_operators(model, model.layers[0], workload(model.layers[0], 8, ExecutionPhase::kTrain)),
      InputError);
}

}  // namespace
}  // namespace smelt
