#include "bench/calibration.hpp"

#include <array>
#include <cmath>
#include <set>

#include "bench/bench_shape.hpp"
#include "catch.hpp"
#include "smelt/routing.hpp"

namespace smelt {
namespace {

const LayerShape kBaseline{260, 672, 6, 2, 112, 260, 8, 8, 544};
const LayerShape kSmelt{260, 576, 8, 2, 72, 260, 12, 8, 424};

std::vector<Operator> operators_of(const LayerShape& shape) {
  return step_operators(shape, expert_rows({}, shape.tokens, shape.top_k, shape.num_experts), 4);
}

bool near(double a, double b, double tolerance) { return std::abs(a / b - 1) <= tolerance; }

TEST_CASE("non-negative least squares by hand") {
  // Exact: 2 x + 3 y.
  const std::vector<double> exact =
      nonnegative_least_squares({{1, 0}, {0, 1}, {1, 1}, {2, 1}}, {2, 3, 5, 7});
  CHECK(near(exact[0], 2, 1e-12));
  CHECK(near(exact[1], 3, 1e-12));
  // Unconstrained the second would be negative; alone the first is (1 + 2 + 6) / (1 + 4 + 9).
  const std::vector<double> bound = nonnegative_least_squares({{1, 1}, {2, 4}, {3, 9}}, {1, 1, 2});
  CHECK(bound[0] > 0);
  CHECK(bound[1] == 0);
  CHECK(nonnegative_least_squares({{1}, {1}}, {-1, -1}) == std::vector<double>{0});
}

TEST_CASE("calibration shapes share no product with the shapes they predict") {
  for (const LayerShape& shape : {kBaseline, kSmelt}) {
    std::set<std::array<std::int64_t, 3>> evaluated;
    for (const Operator& op : operators_of(shape)) {
      if (op.product) {
        evaluated.insert({op.product->rows[0], op.product->inner, op.product->columns});
      }
    }
    CHECK(calibration_shapes(shape).size() == 2);
    for (const LayerShape& other : calibration_shapes(shape)) {
      CHECK(other.num_heads % other.num_key_value_heads == 0);
      CHECK(other.top_k <= other.num_experts);
      for (const Operator& op : operators_of(other)) {
        if (!op.product) continue;
        CHECK(evaluated.count({op.product->rows[0], op.product->inner, op.product->columns}) == 0);
      }
    }
  }
}

/// A machine with known costs.
double true_seconds(const LayerShape& shape, const Operator& op) {
  if (op.product) {
    double weights = 0, rows = 0;
    for (const std::int64_t count : op.product->rows) {
      rows += static_cast<double>(count);
      weights += static_cast<double>(op.product->inner * op.product->columns);
    }
    return 2e-5 + op.flops.to_double() / 1e11 + weights * 3e-10 +
           rows * static_cast<double>(op.product->inner + op.product->columns) * 2e-10;
  }
  if (op.kind == OperatorKind::kAttentionCore) {
    return 1e-5 + op.flops.to_double() * (1e-11 + 1e-9 / static_cast<double>(shape.head_dim));
  }
  return 1e-5 + op.bytes.to_double() / 1e10;
}

TEST_CASE("a calibration recovers a machine's costs on shapes it has not seen") {
  std::vector<Observation> seen;
  for (const LayerShape& shape : {kBaseline, kSmelt}) {
    for (const LayerShape& other : calibration_shapes(shape)) {
      for (const Operator& op : operators_of(other)) {
        seen.push_back({other, op, true_seconds(other, op)});
      }
    }
  }
  const Calibration calibration(seen);
  for (const LayerShape& shape : {kBaseline, kSmelt}) {
    for (const Operator& op : operators_of(shape)) {
      INFO(operator_name(op.kind) << " " << pass_name(op.pass));
      CHECK(near(calibration.seconds(shape, op), true_seconds(shape, op), 1e-3));
    }
  }
}

TEST_CASE("the ideal time takes the bandwidth of the operator's footprint") {
  const Ceilings ceilings{1e12, {{1 << 20, 4e10}, {16 << 20, 1e10}}};
  Operator op;
  op.bytes = 1 << 10;
  CHECK(ideal_seconds(op, ceilings) == 1024 / 4e10);
  op.bytes = 8 << 20;
  CHECK(ideal_seconds(op, ceilings) == (8 << 20) / 4e10);
  op.bytes = 32 << 20;
  CHECK(ideal_seconds(op, ceilings) == (32 << 20) / 1e10);
  op.flops = 1'000'000'000'000;
  CHECK(ideal_seconds(op, ceilings) == 1);
}

}  // namespace
}  // namespace smelt
