#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/backend.hpp"
#include "bench/cpu/gemm.hpp"
#include "bench/cpu/team.hpp"

namespace smelt {

/// The rates that a team of threads reaches: fused multiply-adds from registers or a large product,
/// whichever is faster; reading or copying, whichever is faster, at each of several footprints.
class CpuCeilings {
 public:
  /// The team has to outlive this.
  CpuCeilings(GemmLibrary library, Team& team);

  /// One quick look, some tens of milliseconds.
  Ceilings sample();

 private:
  [[nodiscard]] std::size_t elements_of(std::int64_t footprint) const;
  double register_flops_per_s();
  double product_flops_per_s();
  double bytes_per_s(std::int64_t footprint);

  GemmLibrary library_;
  Team& team_;
  std::vector<float> factor_;                  ///< of the square product
  std::vector<std::vector<float>> from_, to_;  ///< of each thread
  std::vector<float> sink_;
};

}  // namespace smelt
