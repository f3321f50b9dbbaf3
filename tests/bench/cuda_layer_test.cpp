// Needs a GPU, so these cases are hidden: scripts/gpu-check runs them by their tag.
#include <algorithm>
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
  run->run();  // lays out what the routing needs
  run->poison();
  run->run();
  if (routed.empty()) routed = run->chosen_experts();
  const ReferenceLayer reference(c.shape, *run, run->chosen_experts(), routed);
  CHECK(reference.worst_choice() < 1e-5);  // logits stay in fp32
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

void check_gradients(const Case& c, LayerRun& run, const std::vector<std::int32_t>& routed) {
  const ReferenceLayer reference(c.shape, run, run.chosen_experts(), routed);
  for (const Tensor tensor : {Tensor::kMoeInputGradient, Tensor::kGateUpWeightGradient,
                              Tensor::kDownWeightGradient, Tensor::kQkvWeightGradient}) {
    INFO("tensor " << static_cast<int>(tensor));
    CHECK(reference.error(run, tensor) < 1e-4);
  }
}

TEST_CASE("timed steps and a graph's replay compute the layer that a run does", "[.][gpu]") {
  const Case c = cases()[0];
  for (const ExpertKernel kernel : {ExpertKernel::kLoop, ExpertKernel::kStrided,
                                    ExpertKernel::kGrouped, ExpertKernel::kNative}) {
    INFO(expert_kernel_name(kernel));
    const std::unique_ptr<Backend> backend = make_cuda_backend({kernel, false});
    const std::unique_ptr<LayerRun> run = backend->make_layer(c.shape);
    fill_inputs(*run, c.shape, 7);
    // The graph of one routing is of no use to the next.
    std::vector<std::int64_t> rows = c.rows;
    for (int routing = 0; routing < 2; ++routing) {
      const auto routed = routing_with_rows(rows, c.shape.tokens, c.shape.top_k);
      run->force_routing(routed);
      for (const CacheState state : {CacheState::kSequence, CacheState::kHot, CacheState::kCold}) {
        run->poison();
        CHECK(run->time_steps(state).size() == layer_steps().size());
        check_gradients(c, *run, routed);
      }
      run->host_costs();
      run->poison();
      const double graph_s = run->time_graph();
      // Whether a grouped product can be captured is the library's affair.
      if (kernel != ExpertKernel::kGrouped) CHECK(graph_s > 0);
      if (graph_s > 0) check_gradients(c, *run, routed);
      std::reverse(rows.begin(), rows.end());
    }
  }
}

TEST_CASE("of equal logits those of the first experts are chosen", "[.][gpu]") {
  const LayerShape shape{33, 32, 2, 1, 16, 33, 512, 8, 24};
  const std::unique_ptr<Backend> backend = make_cuda_backend({ExpertKernel::kNative, true});
  const std::unique_ptr<LayerRun> run = backend->make_layer(shape);
  fill_inputs(*run, shape, 5);
  const auto weights = static_cast<std::size_t>(tensor_size(shape, Tensor::kRouterWeight));
  run->write(Tensor::kRouterWeight, std::vector<float>(weights));
  run->run();
  const std::vector<std::int32_t> chosen = run->chosen_experts();
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    CHECK(chosen[slot] == static_cast<std::int32_t>(slot % 8));
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
