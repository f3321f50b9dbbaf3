#pragma once

#include <cstdint>
#include <optional>

#include "smelt/match.hpp"

namespace smelt::testing {

/// A uniform gated MoE stack of the paper's family: query width = hidden size, top-8, 392 keys.
inline Model moe_stack(std::int64_t hidden, std::int64_t layers, std::int64_t experts,
                       std::int64_t ffn, std::int64_t kv_heads, std::int64_t head_dim) {
  Layer layer;
  layer.attention = GroupedQueryAttention{hidden / head_dim, kv_heads, head_dim};
  layer.ffn.num_experts = experts;
  layer.ffn.num_experts_per_tok = 8;
  layer.ffn.expert_width = ffn;
  Model model = uniform_stack(hidden, layers, layer);
  model.attended_keys = 392;
  return model;
}

/// The dimensions of a design of that family.
inline Dimensions design(std::int64_t hidden, std::int64_t experts, std::int64_t ffn,
                         std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  return {hidden, experts, ffn, HeadGeometry{heads, kv_heads, head_dim}, std::nullopt};
}

/// The shape rules that the published SMELT rows obey.
inline Rules paper_rules() {
  Rules rules;
  rules.hidden_size = {64, std::nullopt, 8, {}};
  rules.num_experts = {std::nullopt, 4096, 8, {}};
  rules.moe_intermediate_size = {8, std::nullopt, 8, {}};
  rules.head_dim = {32, 256, 4, {}};
  rules.ffn_ratio.lowest = Rational(85, 100);
  rules.ffn_ratio.highest = Rational(115, 100);
  rules.tolerance = {{4, 100}, {1, 100}, {4, 100}};
  return rules;
}

inline MatchProblem middle_half_twice(const Model& baseline, const Rules& rules) {
  MatchProblem problem;
  problem.baseline = baseline;
  problem.num_layers = baseline.num_layers();
  problem.loop = parse_loop("1/2x2", problem.num_layers, "--loop");
  problem.rules = rules;
  problem.convention = conventions().front();
  return problem;
}

}  // namespace smelt::testing
