#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/rational.hpp"

namespace smelt {

/// The values that one dimension may take on the declared grid: the listed `values`, or where that
/// is empty the multiples of `multiple_of` within [lowest, highest]. An absent bound comes from the
/// problem, as each member of Rules says.
struct Axis {
  std::optional<std::int64_t> lowest;
  std::optional<std::int64_t> highest;
  std::int64_t multiple_of = 1;
  std::vector<std::int64_t> values;

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Largest |deviation| allowed for each budget, as an exact fraction (4 % is 1/25).
struct Tolerance {
  Rational flops;
  Rational params;
  Rational kv;

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// Bounds of a shape ratio relative to the Baseline's; an absent one is unbounded.
struct RatioRange {
  std::optional<Rational> lowest;
  std::optional<Rational> highest;

  friend bool operator==(const RatioRange&, const RatioRange&) = default;
};

/// What a matched design may look like: the declared grid and the shape that the family keeps.
struct Rules {
  std::string name;
  std::string description;
  Axis hidden_size;            ///< H; highest absent: the Baseline's
  Axis num_experts;            ///< E; lowest absent: k
  Axis moe_intermediate_size;  ///< F, of one expert or of a dense FFN; highest absent: what the
                               ///< FLOPs tolerance allows
  Axis head_dim;               ///< d; bounds absent: the Baseline's value alone
  Axis num_key_value_heads;    ///< n_kv; bounds absent: the Baseline's value alone
  Axis kv_lora_rank;           ///< of latent attention; bounds absent: the Baseline's value alone
  RatioRange ffn_ratio;        ///< of F / H
  /// Query width n_q d = H; otherwise any number of query heads that n_kv divides, within
  /// query_ratio.
  bool query_width_is_hidden = true;
  RatioRange query_ratio;  ///< of n_q d / H; highest absent: twice the Baseline's
  Tolerance tolerance;

  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace smelt
