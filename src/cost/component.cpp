#include "smelt/component.hpp"

#include <numeric>

namespace smelt {

std::string_view component_name(Component component) {
  static constexpr std::array<std::string_view, kNumComponents> kNames = {
      "attention", "scores", "router", "experts",   "shared_experts", "dense_ffn",
      "norms",     "loop",   "extras", "embedding", "output_head"};
  return kNames[static_cast<std::size_t>(component)];
}

Count Breakdown::total() const { return std::accumulate(counts_.begin(), counts_.end(), Count{}); }

void Breakdown::add(const Breakdown& other, Count factor) {
  for (std::size_t i = 0; i < kNumComponents; ++i) counts_[i] += other.counts_[i] * factor;
}

}  // namespace smelt
