#include <Eigen/Core>
#include <algorithm>

#include "bench/cpu/kernels.hpp"
#include "bench/kernel_math.hpp"

namespace smelt {

namespace {

using Values = Eigen::Map<const Eigen::ArrayXf>;
using Target = Eigen::Map<Eigen::ArrayXf>;

}  // namespace

void sort_slots(const LayerShape& shape, const std::int32_t* experts, std::int32_t* rows,
                std::int32_t* first_rows, std::int32_t* slot_row, std::int32_t* row_slot) {
  std::fill_n(rows, shape.num_experts, 0);
  for (std::int64_t slot = 0; slot < shape.slots(); ++slot) ++rows[experts[slot]];
  exclusive_sum(rows, shape.num_experts, first_rows);
  std::fill_n(rows, shape.num_experts, 0);
  for (std::int64_t slot = 0; slot < shape.slots(); ++slot) {
    const std::int32_t expert = experts[slot];
    slot_row[slot] = first_rows[expert] + rows[expert]++;
    row_slot[slot_row[slot]] = static_cast<std::int32_t>(slot);
  }
}

void permute_forward(const LayerShape& shape, RowRange rows, const RowOrder& order,
                     const float* input, float* permuted) {
  const std::int64_t hidden = shape.hidden_size;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t token = order.row_slot[row] / shape.top_k;
    std::copy_n(input + token * hidden, hidden, permuted + row * hidden);
  }
}

void permute_backward(const LayerShape& shape, RowRange tokens, const RowOrder& order,
                      const float* permuted_gradient, const float* router_gradient,
                      float* gradient) {
  const std::int64_t hidden = shape.hidden_size;
  for (std::int64_t t = tokens.begin; t < tokens.end; ++t) {
    Target sum(gradient + t * hidden, hidden);
    sum = Values(router_gradient + t * hidden, hidden);
    for (std::int64_t j = 0; j < shape.top_k; ++j) {
      const std::int64_t row = order.slot_row[t * shape.top_k + j];
      sum += Values(permuted_gradient + row * hidden, hidden);
    }
  }
}

void swiglu_forward(const LayerShape& shape, RowRange rows, const float* gate_up,
                    float* activated) {
  const std::int64_t width = shape.expert_width;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const Values gate(gate_up + row * 2 * width, width);
    const Values up(gate_up + row * 2 * width + width, width);
    Target(activated + row * width, width) = gate * up / (1.0f + (-gate).exp());
  }
}

void swiglu_backward(const LayerShape& shape, RowRange rows, const float* gate_up,
                     const float* activated_gradient, float* gate_up_gradient) {
  const std::int64_t width = shape.expert_width;
  Eigen::ArrayXf sigma(width);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const Values gate(gate_up + row * 2 * width, width);
    const Values up(gate_up + row * 2 * width + width, width);
    const Values gradient(activated_gradient + row * width, width);
    sigma = 1.0f / (1.0f + (-gate).exp());
    Target(gate_up_gradient + row * 2 * width, width) =
        gradient * up * sigma * (1.0f + gate * (1.0f - sigma));
    Target(gate_up_gradient + row * 2 * width + width, width) = gradient * gate * sigma;
  }
}

void combine_forward(const LayerShape& shape, RowRange tokens, const RowOrder& order,
                     const float* weights, const float* expert_output, float* output) {
  const std::int64_t hidden = shape.hidden_size;
  for (std::int64_t t = tokens.begin; t < tokens.end; ++t) {
    Target sum(output + t * hidden, hidden);
    sum.setZero();
    for (std::int64_t slot = t * shape.top_k; slot < (t + 1) * shape.top_k; ++slot) {
      sum += weights[slot] * Values(expert_output + order.slot_row[slot] * hidden, hidden);
    }
  }
}

void combine_backward(const LayerShape& shape, RowRange tokens, const RowOrder& order,
                      const float* weights, const float* expert_output, const float* gradient,
                      float* expert_output_gradient, float* weights_gradient) {
  const std::int64_t hidden = shape.hidden_size;
  for (std::int64_t t = tokens.begin; t < tokens.end; ++t) {
    const Values token_gradient(gradient + t * hidden, hidden);
    for (std::int64_t slot = t * shape.top_k; slot < (t + 1) * shape.top_k; ++slot) {
      const std::int64_t row = order.slot_row[slot];
      Target(expert_output_gradient + row * hidden, hidden) = weights[slot] * token_gradient;
      weights_gradient[slot] =
          (Values(expert_output + row * hidden, hidden) * token_gradient).sum();
    }
  }
}

}  // namespace smelt
