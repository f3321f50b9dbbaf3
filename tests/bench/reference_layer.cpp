#include "bench/reference_layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace smelt {

namespace {

using Values = std::vector<double>;

/// y (m x n) = x (m x k) w (k x n)
Values multiply(const Values& x, const Values& w, std::size_t m, std::size_t k, std::size_t n) {
  Values y(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) y[i * n + j] += x[i * k + p] * w[p * n + j];
    }
  }
  return y;
}

Values transpose(const Values& x, std::size_t rows, std::size_t columns) {
  Values y(x.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
  }
  return y;
}

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

bool is_permuted(Tensor tensor) {
  switch (tensor) {
    case Tensor::kPermuted:
    case Tensor::kGateUp:
    case Tensor::kActivated:
    case Tensor::kExpertOutput:
    case Tensor::kExpertOutputGradient:
    case Tensor::kActivatedGradient:
    case Tensor::kGateUpGradient:
    case Tensor::kPermutedGradient:
      return true;
    default:
      return false;
  }
}

}  // namespace

ReferenceLayer::ReferenceLayer(const LayerShape& shape, LayerRun& run,
                               std::vector<std::int32_t> chosen, std::vector<std::int32_t> routed)
    : shape_(shape), chosen_(std::move(chosen)), routed_(std::move(routed)) {
  for (int i = 0; i < kNumInputTensors; ++i) {
    const std::vector<float> input = run.read(static_cast<Tensor>(i));
    values_[static_cast<Tensor>(i)] = Values(input.begin(), input.end());
  }
  attention();
  attention_gradients();
  moe();
  moe_gradients();
}

Values& ReferenceLayer::make(Tensor tensor) {
  return values_[tensor] = Values(size(tensor_size(shape_, tensor)));
}

void ReferenceLayer::attention() {
  const std::size_t hidden = size(shape_.hidden_size), query = size(shape_.query_width());
  const std::size_t wide = size(shape_.qkv_width()), tokens = size(shape_.tokens);
  values_[Tensor::kQkv] =
      multiply(at(Tensor::kAttentionInput), at(Tensor::kQkvWeight), tokens, hidden, wide);
  Values& core = make(Tensor::kCore);
  // Gradients of the core on the way: every score is visited once.
  values_[Tensor::kCoreGradient] =
      multiply(at(Tensor::kAttentionGradient), transpose(at(Tensor::kOutputWeight), query, hidden),
               tokens, hidden, query);
  const Values& core_gradient = at(Tensor::kCoreGradient);
  Values& qkv_gradient = make(Tensor::kQkvGradient);
  const Values& qkv = at(Tensor::kQkv);
  const std::size_t d = size(shape_.head_dim);
  const std::size_t sharing = size(shape_.num_heads / shape_.num_key_value_heads);
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::size_t first = t / size(shape_.document) * size(shape_.document);
    for (std::size_t h = 0; h < size(shape_.num_heads); ++h) {
      const auto q = [&](std::size_t i) { return t * wide + h * d + i; };
      const auto key = [&](std::size_t s, std::size_t i) {
        return s * wide + query + h / sharing * d + i;
      };
      const auto value = [&](std::size_t s, std::size_t i) {
        return key(s, i) + size(shape_.kv_width());
      };
      Values p(t - first + 1);
      double largest = -std::numeric_limits<double>::infinity();
      for (std::size_t s = first; s <= t; ++s) {
        double dot = 0;
        for (std::size_t i = 0; i < d; ++i) dot += qkv[q(i)] * qkv[key(s, i)];
        p[s - first] = dot / std::sqrt(static_cast<double>(d));
        largest = std::max(largest, p[s - first]);
      }
      double sum = 0;
      for (double& x : p) sum += x = std::exp(x - largest);
      double mean = 0;
      Values dp(p.size());
      for (std::size_t s = first; s <= t; ++s) {
        p[s - first] /= sum;
        for (std::size_t i = 0; i < d; ++i) {
          const double g = core_gradient[t * query + h * d + i];
          core[t * query + h * d + i] += p[s - first] * qkv[value(s, i)];
          dp[s - first] += g * qkv[value(s, i)];
          qkv_gradient[value(s, i)] += p[s - first] * g;
        }
        mean += p[s - first] * dp[s - first];
      }
      for (std::size_t s = first; s <= t; ++s) {
        const double ds = p[s - first] * (dp[s - first] - mean) / std::sqrt(static_cast<double>(d));
        for (std::size_t i = 0; i < d; ++i) {
          qkv_gradient[q(i)] += ds * qkv[key(s, i)];
          qkv_gradient[key(s, i)] += ds * qkv[q(i)];
        }
      }
    }
  }
  values_[Tensor::kAttentionOutput] =
      multiply(core, at(Tensor::kOutputWeight), tokens, query, hidden);
}

void ReferenceLayer::attention_gradients() {
  const std::size_t hidden = size(shape_.hidden_size), query = size(shape_.query_width());
  const std::size_t wide = size(shape_.qkv_width()), tokens = size(shape_.tokens);
  values_[Tensor::kOutputWeightGradient] =
      multiply(transpose(at(Tensor::kCore), tokens, query), at(Tensor::kAttentionGradient), query,
               tokens, hidden);
  values_[Tensor::kQkvWeightGradient] =
      multiply(transpose(at(Tensor::kAttentionInput), tokens, hidden), at(Tensor::kQkvGradient),
               hidden, tokens, wide);
  values_[Tensor::kAttentionInputGradient] =
      multiply(at(Tensor::kQkvGradient), transpose(at(Tensor::kQkvWeight), hidden, wide), tokens,
               wide, hidden);
}

void ReferenceLayer::moe() {
  const std::size_t tokens = size(shape_.tokens), hidden = size(shape_.hidden_size);
  const std::size_t experts = size(shape_.num_experts), k = size(shape_.top_k);
  const std::size_t width = size(shape_.expert_width);
  values_[Tensor::kLogits] =
      multiply(at(Tensor::kMoeInput), at(Tensor::kRouterWeight), tokens, hidden, experts);
  Values& routing = make(Tensor::kRouting);
  Values& permuted = make(Tensor::kPermuted);
  Values& gate_up = make(Tensor::kGateUp);
  Values& activated = make(Tensor::kActivated);
  Values& expert_output = make(Tensor::kExpertOutput);
  Values& output = make(Tensor::kMoeOutput);
  for (std::size_t t = 0; t < tokens; ++t) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      sum += std::exp(at(Tensor::kLogits)[t * experts + size(chosen_[t * k + j])]);
    }
    for (std::size_t slot = t * k; slot < (t + 1) * k; ++slot) {
      routing[slot] = std::exp(at(Tensor::kLogits)[t * experts + size(chosen_[slot])]) / sum;
      const std::size_t expert = size(routed_[slot]);
      const double* w1 = &at(Tensor::kGateUpWeight)[expert * hidden * 2 * width];
      const double* w2 = &at(Tensor::kDownWeight)[expert * width * hidden];
      for (std::size_t i = 0; i < hidden; ++i) {
        const double x = at(Tensor::kMoeInput)[t * hidden + i];
        permuted[slot * hidden + i] = x;
        for (std::size_t f = 0; f < 2 * width; ++f) {
          gate_up[slot * 2 * width + f] += x * w1[i * 2 * width + f];
        }
      }
      for (std::size_t f = 0; f < width; ++f) {
        const double gate = gate_up[slot * 2 * width + f];
        const double a = gate / (1 + std::exp(-gate)) * gate_up[slot * 2 * width + width + f];
        activated[slot * width + f] = a;
        for (std::size_t i = 0; i < hidden; ++i) {
          expert_output[slot * hidden + i] += a * w2[f * hidden + i];
        }
      }
      for (std::size_t i = 0; i < hidden; ++i) {
        output[t * hidden + i] += routing[slot] * expert_output[slot * hidden + i];
      }
    }
  }
}

void ReferenceLayer::moe_gradients() {
  const std::size_t tokens = size(shape_.tokens), hidden = size(shape_.hidden_size);
  const std::size_t experts = size(shape_.num_experts), k = size(shape_.top_k);
  const std::size_t width = size(shape_.expert_width);
  Values& output_gradient = make(Tensor::kExpertOutputGradient);
  Values& routing_gradient = make(Tensor::kRoutingGradient);
  Values& activated_gradient = make(Tensor::kActivatedGradient);
  Values& gate_up_gradient = make(Tensor::kGateUpGradient);
  Values& permuted_gradient = make(Tensor::kPermutedGradient);
  Values& logits_gradient = make(Tensor::kLogitsGradient);
  Values& w1_gradient = make(Tensor::kGateUpWeightGradient);
  Values& w2_gradient = make(Tensor::kDownWeightGradient);
  for (std::size_t slot = 0; slot < tokens * k; ++slot) {
    const std::size_t t = slot / k, expert = size(routed_[slot]);
    const std::size_t w1 = expert * hidden * 2 * width, w2 = expert * width * hidden;
    for (std::size_t i = 0; i < hidden; ++i) {
      const double g = at(Tensor::kMoeGradient)[t * hidden + i];
      routing_gradient[slot] += g * at(Tensor::kExpertOutput)[slot * hidden + i];
      output_gradient[slot * hidden + i] = g * at(Tensor::kRouting)[slot];
    }
    for (std::size_t f = 0; f < width; ++f) {
      double& da = activated_gradient[slot * width + f];
      for (std::size_t i = 0; i < hidden; ++i) {
        const double g = output_gradient[slot * hidden + i];
        da += g * at(Tensor::kDownWeight)[w2 + f * hidden + i];
        w2_gradient[w2 + f * hidden + i] += g * at(Tensor::kActivated)[slot * width + f];
      }
      const double gate = at(Tensor::kGateUp)[slot * 2 * width + f];
      const double up = at(Tensor::kGateUp)[slot * 2 * width + width + f];
      const double e = std::exp(-gate);
      // d/dx [x / (1 + e^-x)] = (1 + e^-x + x e^-x) / (1 + e^-x)^2
      gate_up_gradient[slot * 2 * width + f] = da * up * (1 + e + gate * e) / ((1 + e) * (1 + e));
      gate_up_gradient[slot * 2 * width + width + f] = da * gate / (1 + e);
    }
    for (std::size_t i = 0; i < hidden; ++i) {
      const double x = at(Tensor::kMoeInput)[t * hidden + i];
      for (std::size_t f = 0; f < 2 * width; ++f) {
        const double g = gate_up_gradient[slot * 2 * width + f];
        permuted_gradient[slot * hidden + i] +=
            g * at(Tensor::kGateUpWeight)[w1 + i * 2 * width + f];
        w1_gradient[w1 + i * 2 * width + f] += g * x;
      }
    }
  }
  // softmax over the chosen: d logit_i = sum_j g_j w_j ([i = j] - w_i)
  for (std::size_t i = 0; i < tokens * k; ++i) {
    const std::size_t t = i / k;
    double& gradient = logits_gradient[t * experts + size(chosen_[i])];
    for (std::size_t j = t * k; j < (t + 1) * k; ++j) {
      gradient += routing_gradient[j] * at(Tensor::kRouting)[j] *
                  ((i == j ? 1.0 : 0.0) - at(Tensor::kRouting)[i]);
    }
  }
  values_[Tensor::kRouterInputGradient] =
      multiply(logits_gradient, transpose(at(Tensor::kRouterWeight), hidden, experts), tokens,
               experts, hidden);
  values_[Tensor::kRouterWeightGradient] = multiply(
      transpose(at(Tensor::kMoeInput), tokens, hidden), logits_gradient, hidden, tokens, experts);
  Values& input_gradient = make(Tensor::kMoeInputGradient) = at(Tensor::kRouterInputGradient);
  for (std::size_t slot = 0; slot < tokens * k; ++slot) {
    for (std::size_t i = 0; i < hidden; ++i) {
      input_gradient[slot / k * hidden + i] += permuted_gradient[slot * hidden + i];
    }
  }
}

double ReferenceLayer::error(LayerRun& run, Tensor tensor) const {
  const std::vector<float> got = run.read(tensor);
  const Values& wanted = at(tensor);
  const std::size_t row = is_permuted(tensor) ? wanted.size() / routed_.size() : wanted.size();
  // A slot's row may stand anywhere among its expert's rows: take the nearest one still free.
  std::vector<bool> taken(wanted.size() / row);
  std::vector<std::size_t> first(size(shape_.num_experts) + 1);
  if (is_permuted(tensor)) {
    for (const std::int32_t expert : routed_) ++first[size(expert) + 1];
    for (std::size_t e = 0; e < size(shape_.num_experts); ++e) first[e + 1] += first[e];
  }
  double difference = 0, norm = 0;
  for (std::size_t slot = 0; slot < wanted.size() / row; ++slot) {
    const std::size_t expert = is_permuted(tensor) ? size(routed_[slot]) : 0;
    const std::size_t begin = is_permuted(tensor) ? first[expert] : 0;
    const std::size_t end = is_permuted(tensor) ? first[expert + 1] : 1;
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t place = begin;
    for (std::size_t candidate = begin; candidate < end; ++candidate) {
      if (taken[candidate]) continue;
      double squares = 0;
      for (std::size_t i = 0; i < row && squares < nearest; ++i) {
        const double delta = got[candidate * row + i] - wanted[slot * row + i];
        squares += delta * delta;
      }
      if (squares < nearest) {
        nearest = squares;
        place = candidate;
      }
    }
    if (std::isfinite(nearest)) taken[place] = true;
    difference += nearest;
    for (std::size_t i = 0; i < row; ++i) {
      norm += wanted[slot * row + i] * wanted[slot * row + i];
    }
  }
  if (norm == 0 && difference == 0) return 0;
  const double result = std::sqrt(difference / norm);
  return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
}

double ReferenceLayer::worst_choice() const {
  double worst = 0;
  const std::size_t experts = size(shape_.num_experts), k = size(shape_.top_k);
  for (std::size_t t = 0; t < size(shape_.tokens); ++t) {
    const double* logits = &at(Tensor::kLogits)[t * experts];
    std::vector<bool> chosen(experts);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t slot = t * k; slot < (t + 1) * k; ++slot) {
      if (chosen[size(chosen_[slot])]) return std::numeric_limits<double>::infinity();
      chosen[size(chosen_[slot])] = true;
      least = std::min(least, logits[chosen_[slot]]);
    }
    for (std::size_t e = 0; e < experts; ++e) {
      if (!chosen[e]) worst = std::max(worst, logits[e] - least);
    }
  }
  return worst;
}

}  // namespace smelt
