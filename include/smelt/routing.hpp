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
    kShares,    ///< as `shares` say, stretched over whatever number of experts there is
  };
  Kind kind = Kind::kBalanced;
  double exponent = 0;
  /// Relative loads of the experts of a router that was measured, in any order.
  std::vector<double> shares;

  friend bool operator==(const RoutingLaw&, const RoutingLaw&) = default;
};

/// "balanced", "random" or "zipf:s" with s in [0, 10]; throws InputError at `where`.
RoutingLaw parse_routing(std::string_view text, std::string_view where);
std::string routing_name(const RoutingLaw& law);
/// The law of measured loads; throws InputError at `where` unless they are finite, not negative and
/// not all zero.
RoutingLaw measured_routing(std::vector<double> shares, std::string_view where);

/// Rows of each of `num_experts` experts when `tokens` tokens visit `top_k` different experts each:
/// adds up to tokens x top_k, no expert above `tokens`. The same for the same arguments everywhere.
/// Needs top_k <= num_experts.
std::vector<std::int64_t> expert_rows(const RoutingLaw& law, std::int64_t tokens,
                                      std::int64_t top_k, std::int64_t num_experts,
                                      std::uint64_t seed = 1);

}  // namespace smelt
