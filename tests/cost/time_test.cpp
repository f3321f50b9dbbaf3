#include "smelt/time.hpp"

#include <cmath>

#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/error.hpp"
#include "smelt/time_report.hpp"

namespace smelt {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

/// Round figures: 100 SMs, 100 TFLOP/s (1 TFLOP/s each), 1 TB/s.
Hardware round_device() {
  Hardware device;
  device.name = "round";
  device.multiprocessors = 100;
  device.memory_bandwidth_bytes_per_s = 1e12;
  device.peaks[static_cast<std::size_t>(Precision::kBf16)] = 1e14;
  return device;
}

Model one_layer(std::int64_t hidden, Ffn ffn) {
  Model model = uniform_stack(hidden, 1, {GroupedQueryAttention{8, 8, hidden / 8}, ffn, 2, 1, {}});
  model.attended_keys = Rational(1025, 2);
  return model;
}

TimeOptions options(std::int64_t tokens) {
  TimeOptions result;
  result.tokens = tokens;
  result.launch_s = 0;
  return result;
}

OperatorTime find(const StackTime& stack, OperatorKind kind, Pass pass) {
  for (const OperatorTime& time : stack.layers[0].operators) {
    if (time.op.kind == kind && time.op.pass == pass) return time;
  }
  throw std::logic_error("no such operator");
}

/// One 128 x 128 x 64 step at 1 TFLOP/s.
constexpr double kStep = 2.0 * 128 * 128 * 64 / 1e12;

TEST_CASE("260 rows fill 128-row tiles to 0.68") {
  // 64 experts of 260 rows, H 1024, F 512.
  const Model model = one_layer(1024, {3, 64, 8, 512});
  const StackTime stack = predict_time(model, round_device(), options(2080));
  const OperatorTime forward = find(stack, OperatorKind::kGateUp, Pass::kForward);
  CHECK(near(forward.tile_fill, 260.0 / 384));
  CHECK(forward.mean_rows == 260);
  CHECK(forward.most_rows == 260);
  CHECK(forward.tiles == 64 * 3 * 8);
  CHECK(forward.waves == 16);  // 1536 / 100
  CHECK(forward.launches == 1);
  CHECK(near(forward.time_s, 16 * 16 * kStep));
  CHECK(near(forward.bound_s, 2.0 * 64 * 260 * 1024 * 1024 / 1e14));
  // Rows are the inner dimension of the weight gradient: 260 in 5 steps of 64.
  const OperatorTime weight = find(stack, OperatorKind::kGateUp, Pass::kBackwardWeight);
  CHECK(near(weight.tile_fill, 260.0 / 320));
  CHECK(weight.tiles == 64 * 8 * 8);
  CHECK(near(weight.time_s, 41 * 5 * kStep));
}

TEST_CASE("one launch an expert pays for its own waves") {
  TimeOptions loop = options(2080);
  loop.experts = ExpertLaunch::kLoop;
  loop.launch_s = 1e-6;
  const Model model = one_layer(1024, {3, 64, 8, 512});
  const StackTime stack = predict_time(model, round_device(), loop);
  const OperatorTime forward = find(stack, OperatorKind::kGateUp, Pass::kForward);
  CHECK(forward.launches == 64);
  CHECK(forward.waves == 64);  // 24 tiles each, split in four along the inner dimension
  CHECK(near(forward.time_s, 64 * (4 * kStep + 1e-6)));
}

TEST_CASE("a skewed routing waits for the fullest expert") {
  TimeOptions skewed = options(2080);
  skewed.routing = {RoutingLaw::Kind::kZipf, 1, {}};
  const Model model = one_layer(1024, {3, 64, 8, 512});
  const OperatorTime weight = find(predict_time(model, round_device(), skewed),
                                   OperatorKind::kGateUp, Pass::kBackwardWeight);
  CHECK(weight.mean_rows == 260);
  CHECK(weight.most_rows == 2080);
  CHECK(weight.time_s >= 33 * kStep);
}

TEST_CASE("few rows take small tiles and are bound by memory") {
  const Model model = one_layer(1024, {3, 64, 8, 512});
  TimeOptions decode = options(8);
  decode.phase = ExecutionPhase::kDecode;
  const OperatorTime up =
      find(predict_time(model, round_device(), decode), OperatorKind::kGateUp, Pass::kForward);
  CHECK(up.mean_rows == 1);
  CHECK(near(up.tile_fill, 1.0 / 16));
  CHECK(near(up.time_s, up.op.bytes.to_double() / 1e12));
}

TEST_CASE("no operator beats its roofline; a loop costs its visits") {
  Model plain =
      uniform_stack(1024, 12, {GroupedQueryAttention{8, 8, 128}, {3, 64, 8, 512}, 2, 1, {}});
  plain.attended_keys = 392;
  Model looped = plain;
  apply_loop(looped, {3, 6, 2});
  for (const ExecutionPhase phase :
       {ExecutionPhase::kTrain, ExecutionPhase::kForward, ExecutionPhase::kDecode}) {
    TimeOptions with_launches = options(1000);
    with_launches.phase = phase;
    with_launches.launch_s = 2e-6;
    const StackTime once = predict_time(plain, round_device(), with_launches);
    const StackTime twice = predict_time(looped, round_device(), with_launches);
    CHECK(near(twice.total_s, 1.5 * once.total_s));
    CHECK(once.layers.size() == 1);
    CHECK(twice.layers.size() == 3);
    for (const OperatorTime& time : once.layers[0].operators) {
      INFO(operator_name(time.op.kind) << " " << pass_name(time.op.pass));
      CHECK(time.time_s >= time.bound_s);
      CHECK(time.tile_fill > 0);
      CHECK(time.tile_fill <= 1);
    }
  }
}

TEST_CASE("causal attention computes the masked half of its diagonal tiles") {
  const Model model = one_layer(1024, {3, 64, 8, 512});
  const OperatorTime core = find(predict_time(model, round_device(), options(2080)),
                                 OperatorKind::kAttentionCore, Pass::kForward);
  // A query of row block b computes 128 (b + 1) keys. 1024 keys in 8 blocks: 576 on average where
  // 512.5 are attended.
  CHECK(near(core.tile_fill, 512.5 / 576));
}

TEST_CASE("an element type that the device lacks is refused") {
  TimeOptions fp8 = options(64);
  fp8.precision = Precision::kFp8;
  CHECK_THROWS_AS(predict_time(one_layer(1024, {3, 64, 8, 512}), round_device(), fp8), InputError);
}

TEST_CASE("a refusal names the model once") {
  Model injected = one_layer(1024, {3, 64, 8, 512});
  injected.name = "injected";
  injected.loop.inject_matrices = 1;
  try {
    compare_times({{injected}, round_device(), options(64)});
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.mistakes().front().where == "injected");
  }
}

}  // namespace
}  // namespace smelt
