// Needs a GPU, so these cases are hidden: scripts/gpu-check runs them by their tag.
#include <string>

#include "bench/cuda_backend.hpp"
#include "bench/layer_inputs.hpp"
#include "bench/reference_layer.hpp"
#include "catch.hpp"

namespace smelt {
namespace {

struct Case {
  const char* name;
  LayerShape shape;                // T, H, n_q, n_kv, d, document, E, k, F
  std::vector<std::int64_t> rows;  ///< per expert; empty: where the top-k sends them
};

std::vector<Case> cases() {
  return {
      {"ragged experts", {161, 64, 4, 2, 16, 50, 6, 2, 40}, {0, 1, 63, 64, 65, 129}},
      {"one expert a token", {322, 32, 2, 1, 16, 322, 6, 1, 24}, {0, 1, 63, 64, 65, 129}},
      {"504 experts", {96, 32, 2, 2, 16, 96, 504, 8, 24}, {}},
      {"more than one tile", {300, 160, 4, 4, 40, 300, 4, 2, 136}, {130, 300, 0, 170}},
  };
}

void check_layer(const Case& c, ExpertKernel kernel, bool bf16, std::uint64_t seed) {
  INFO(c.name << ", " << expert_kernel_name(kernel) << (bf16 ? ", bf16" : ", fp32"));
  const std::unique_ptr<Backend> backend = make_cuda_backend({kernel, bf16});
  REQUIRE(backend->refusal(c.shape).empty());
  const std::unique_ptr<LayerRun> run = backend->make_layer(c.shape);
  fill_inputs(*run, c.shape, seed);
  std::vector<std::int32_t> routed;
  if (!c.rows.empty()) {
    routed = routing_with_rows(c.rows, c.shape.tokens, c.shape.top_k);
    run->force_routing(routed);
  }
  run->poison();
  run->run();
  if (routed.empty()) routed = run->chosen_experts();
  const ReferenceLayer reference(c.shape, *run, run->chosen_experts(), routed);
  CHECK(reference.worst_choice() < (bf16 ? 2e-2 : 1e-5));
  for (int i = kNumInputTensors; i < kNumTensors; ++i) {
    INFO("tensor " << i);
    CHECK(reference.error(*run, static_cast<Tensor>(i)) < (bf16 ? 1e-2 : 1e-4));
  }
}

TEST_CASE("every operator of the CUDA layer agrees with double precision", "[.][gpu]") {
  std::uint64_t seed = 100;
  for (const Case& c : cases()) {
    for (const ExpertKernel kernel : {ExpertKernel::kLoop, ExpertKernel::kStrided,
                                      ExpertKernel::kGrouped, ExpertKernel::kNative}) {
      check_layer(c, kernel, false, ++seed);
      check_layer(c, kernel, true, ++seed);
    }
  }
}

TEST_CASE("a graph's replay computes the layer that its steps do", "[.][gpu]") {
  const Case c = cases()[0];
  for (const ExpertKernel kernel : {ExpertKernel::kLoop, ExpertKernel::kNative}) {
    INFO(expert_kernel_name(kernel));
    const std::unique_ptr<Backend> backend = make_cuda_backend({kernel, false});
    const std::unique_ptr<LayerRun> run = backend->make_layer(c.shape);
    fill_inputs(*run, c.shape, 7);
    const auto routed = routing_with_rows(c.rows, c.shape.tokens, c.shape.top_k);
    run->force_routing(routed);
    run->run();
    run->poison();
    CHECK(run->time_graph() > 0);
    const ReferenceLayer reference(c.shape, *run, run->chosen_experts(), routed);
    CHECK(reference.error(*run, Tensor::kMoeInputGradient) < 1e-4);
    CHECK(reference.error(*run, Tensor::kDownWeightGradient) < 1e-4);
  }
}

TEST_CASE("widths that are no multiple of 8 are refused", "[.][gpu]") {
  const std::unique_ptr<Backend> backend = make_cuda_backend({ExpertKernel::kNative, true});
  CHECK_FALSE(backend->refusal({64, 60, 4, 2, 16, 64, 8, 2, 40}).empty());
  CHECK_FALSE(backend->refusal({64, 64, 4, 2, 16, 64, 8, 2, 36}).empty());
  CHECK(backend->refusal({64, 64, 4, 2, 16, 64, 8, 2, 40}).empty());
}

}  // namespace
}  // namespace smelt
