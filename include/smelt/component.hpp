#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "smelt/count.hpp"

namespace smelt {

/// The parts of a model that a count is broken into.
enum class Component {
  kAttention,  ///< projections of queries, keys, values and output, with their biases and QK norms
  kScores,     ///< query-key and attention-value products; FLOPs only, no parameters
  kRouter,
  kExperts,        ///< routed experts
  kSharedExperts,  ///< shared experts, visited by every token, and their gate
  kDenseFfn,
  kNorms,      ///< per-layer norms and the final norms
  kLoop,       ///< inject matrices and per-visit adapters
  kExtras,     ///< what the model names beside its layers: embedding projection, head bias, pooler,
               ///< exit gate
  kEmbedding,  ///< token, position and token-type tables
  kOutputHead,  ///< output head; 0 stored where it is tied to the embedding
};
inline constexpr std::size_t kNumComponents = 11;
inline constexpr std::array<Component, kNumComponents> kAllComponents = {
    Component::kAttention,     Component::kScores,    Component::kRouter,    Component::kExperts,
    Component::kSharedExperts, Component::kDenseFfn,  Component::kNorms,     Component::kLoop,
    Component::kExtras,        Component::kEmbedding, Component::kOutputHead};

/// The component's key in JSON: "attention", "scores", "router", "experts", ...
std::string_view component_name(Component component);

/// One count per component.
class Breakdown {
 public:
  Count& operator[](Component component) { return counts_[static_cast<std::size_t>(component)]; }
  Count operator[](Component component) const {
    return counts_[static_cast<std::size_t>(component)];
  }
  [[nodiscard]] Count total() const;
  /// Adds `factor` times the other's counts.
  void add(const Breakdown& other, Count factor = 1);
  friend bool operator==(const Breakdown&, const Breakdown&) = default;

 private:
  std::array<Count, kNumComponents> counts_{};
};

}  // namespace smelt
