#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smelt {

/// How tokens spread over the routed experts.
struct RoutingLaw {
  enum class Kind {
    kBalanced,  ///< every expert the same number of rows, as nearly as whole rows allow
    kRandom,    ///< each token draws k different experts uniformly
    kZipf,      ///< the expert of rank i gets a share proportional to i^-exponent
  };
  Kind kind = Kind::kBalanced;
  double exponent = 0;

  friend bool operator==(const RoutingLaw&, const RoutingLaw&) = default;
};

/// "balanced", "random" or "zipf:s" with s in [0, 10]; throws InputError at `where`.
RoutingLaw parse_routing(std::string_view text, std::string_view where);
std::string routing_name(const RoutingLaw& law);

/// Rows of each of `num_experts` experts when `tokens` tokens visit `top_k` different experts each:
/// adds up to tokens x top_k, no expert above `tokens`. The same for the same arguments everywhere.
/// Needs top_k <= num_experts.
std::vector<std::int64_t> expert_rows(const RoutingLaw& law, std::int64_t tokens,
                                      std::int64_t top_k, std::int64_t num_experts,
                                      std::uint64_t seed = 1);

}  // namespace smelt
