#include "bench/kernel_math.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"

namespace smelt {
namespace {

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

TEST_CASE("SwiGLU and its gradient against differences in double precision") {
  const auto exact = [](double gate, double up) { return gate / (1 + std::exp(-gate)) * up; };
  for (const float gate : {-30.0f, -3.0f, -0.5f, 0.0f, 0.25f, 2.0f, 30.0f}) {
    for (const float up : {-2.0f, 0.0f, 1.5f}) {
      CHECK(near(swiglu(gate, up), exact(gate, up), 1e-6));
      const double h = 1e-5;
      const SwigluGradient g = swiglu_gradient(gate, up, 0.5f);
      CHECK(near(g.gate, 0.5 * (exact(gate + h, up) - exact(gate - h, up)) / (2 * h), 1e-5));
      CHECK(near(g.up, 0.5 * (exact(gate, up + h) - exact(gate, up - h)) / (2 * h), 1e-5));
    }
  }
}

TEST_CASE("softmax over the chosen logits and its gradient") {
  const std::vector<float> logits = {2.0f, 1.0f, -1.0f};
  std::vector<float> weights = logits;
  softmax_chosen(weights.data(), 3, weights.data());
  const double sum = std::exp(2.0) + std::exp(1.0) + std::exp(-1.0);
  CHECK(near(weights[0], std::exp(2.0) / sum, 1e-6));
  CHECK(near(weights[2], std::exp(-1.0) / sum, 1e-6));
  const std::vector<float> gradient = {1.0f, 0.0f, 0.0f};
  CHECK(near(softmax_chosen_gradient(weights.data(), gradient.data(), 3, 0),
             weights[0] * (1 - weights[0]), 1e-6));
  CHECK(near(softmax_chosen_gradient(weights.data(), gradient.data(), 3, 1),
             -weights[0] * weights[1], 1e-6));
}

TEST_CASE("equal logits go to the lower expert") {
  CHECK(chosen_before(2.0f, 5, 1.0f, 0));
  CHECK(chosen_before(1.0f, 3, 1.0f, 4));
  CHECK_FALSE(chosen_before(1.0f, 4, 1.0f, 3));
}

TEST_CASE("first rows of ragged experts") {
  const std::vector<std::int32_t> rows = {0, 1, 63, 0, 65};
  std::vector<std::int32_t> first(rows.size());
  CHECK(exclusive_sum(rows.data(), 5, first.data()) == 129);
  CHECK(first == std::vector<std::int32_t>{0, 0, 1, 64, 64});
}

}  // namespace
}  // namespace smelt
