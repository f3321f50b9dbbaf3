#include "bench/cpu/cpu_layer.hpp"

#include <array>
#include <string>

#include "bench/layer_inputs.hpp"
#include "bench/reference_layer.hpp"
#include "catch.hpp"
#include "smelt/routing.hpp"

namespace smelt {
namespace {

constexpr double kFp32Error = 1e-4;

struct Case {
  const char* name;
  LayerShape shape;                // T, H, n_q, n_kv, d, document, E, k, F
  std::vector<std::int64_t> rows;  ///< per expert; empty: where the top-k sends them
};

std::vector<Case> cases() {
  return {
      {"ragged experts", {161, 24, 4, 2, 6, 50, 6, 2, 20}, {0, 1, 63, 64, 65, 129}},
      {"one expert a token", {322, 16, 2, 1, 8, 322, 6, 1, 12}, {0, 1, 63, 64, 65, 129}},
      {"504 experts", {96, 16, 2, 2, 8, 96, 504, 8, 12}, {}},
      {"all experts", {65, 32, 4, 4, 8, 64, 8, 8, 16}, {}},
      {"one token", {1, 16, 2, 1, 8, 1, 4, 2, 8}, {}},
      {"two experts get everything", {70, 16, 2, 1, 8, 30, 40, 2, 8}, {}},
  };
}

void check_layer(const Case& c, GemmLibrary library, int threads) {
  INFO(c.name << ", " << gemm_library_name(library) << ", threads " << threads);
  Team team(threads);
  CpuLayer run(c.shape, library, team);
  fill_inputs(run, c.shape, 17);
  if (!c.rows.empty()) {
    run.force_routing(routing_with_rows(c.rows, c.shape.tokens, c.shape.top_k));
  }
  run.poison();
  run.run();
  const std::vector<std::int32_t> routed =
      c.rows.empty() ? run.chosen_experts()
                     : routing_with_rows(c.rows, c.shape.tokens, c.shape.top_k);
  const ReferenceLayer reference(c.shape, run, run.chosen_experts(), routed);
  CHECK(reference.worst_choice() < 1e-5);
  for (int i = kNumInputTensors; i < kNumTensors; ++i) {
    INFO("tensor " << i);
    CHECK(reference.error(run, static_cast<Tensor>(i)) < kFp32Error);
  }
}

TEST_CASE("every operator of the CPU layer agrees with double precision") {
  for (const Case& c : cases()) {
    check_layer(c, GemmLibrary::kEigen, 2);
    check_layer(c, best_gemm_library(), 1);
    check_layer(c, best_gemm_library(), 3);
  }
}

TEST_CASE("timing a layer computes the same layer, in every cache state") {
  const LayerShape shape{40, 16, 2, 1, 8, 40, 6, 2, 8};
  Team team(2);
  CpuLayer run(shape, best_gemm_library(), team);
  fill_inputs(run, shape, 3);
  for (const CacheState state : {CacheState::kSequence, CacheState::kHot, CacheState::kCold}) {
    run.poison();
    const std::vector<double> seconds = run.time_steps(state);
    CHECK(seconds.size() == layer_steps().size());
    for (const double s : seconds) CHECK(s >= 0);
    const ReferenceLayer reference(shape, run, run.chosen_experts(), run.chosen_experts());
    CHECK(reference.error(run, Tensor::kMoeInputGradient) < kFp32Error);
    CHECK(reference.error(run, Tensor::kGateUpWeightGradient) < kFp32Error);
    CHECK(reference.error(run, Tensor::kQkvWeightGradient) < kFp32Error);
  }
}

TEST_CASE("a wrong result and an unwritten one are both found") {
  const LayerShape shape{40, 16, 2, 1, 8, 40, 6, 2, 8};
  Team team(1);
  CpuLayer run(shape, GemmLibrary::kEigen, team);
  fill_inputs(run, shape, 3);
  run.run();
  const ReferenceLayer reference(shape, run, run.chosen_experts(), run.chosen_experts());
  for (const Tensor tensor : {Tensor::kMoeOutput, Tensor::kGateUp}) {
    std::vector<float> values = run.read(tensor);
    for (float& value : values) value *= 1.001f;
    run.write(tensor, values);
    CHECK(reference.error(run, tensor) > kFp32Error);
  }
  run.poison();
  CHECK_FALSE(reference.error(run, Tensor::kMoeOutput) < 1);
  CHECK_FALSE(reference.error(run, Tensor::kPermuted) < 1);
}

TEST_CASE("slots assigned to wanted rows") {
  const std::vector<std::int64_t> rows = {0, 1, 63, 64, 65, 129};
  const std::vector<std::int32_t> experts = routing_with_rows(rows, 161, 2);
  std::vector<std::int64_t> counted(rows.size());
  for (std::size_t slot = 0; slot < experts.size(); slot += 2) {
    CHECK(experts[slot] != experts[slot + 1]);
    ++counted[static_cast<std::size_t>(experts[slot])];
    ++counted[static_cast<std::size_t>(experts[slot + 1])];
  }
  CHECK(counted == rows);
}

}  // namespace
}  // namespace smelt
