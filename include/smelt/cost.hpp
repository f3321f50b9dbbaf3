#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/count.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// The parts of a model that a count is broken into.
enum class Component {
  kAttention,  ///< query, key, value and output projections
  kScores,     ///< query-key and attention-value products; FLOPs only, no parameters
  kRouter,
  kExperts,        ///< routed experts
  kSharedExperts,  ///< shared experts, visited by every token
  kDenseFfn,
  kNorms,       ///< per-layer norms and the final norm
  kEmbedding,   ///< token embedding
  kOutputHead,  ///< output head; 0 stored where it is tied to the embedding
};
inline constexpr std::size_t kNumComponents = 9;
inline constexpr std::array<Component, kNumComponents> kAllComponents = {
    Component::kAttention, Component::kScores,        Component::kRouter,
    Component::kExperts,   Component::kSharedExperts, Component::kDenseFfn,
    Component::kNorms,     Component::kEmbedding,     Component::kOutputHead};

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
  friend bool operator==(const Breakdown&, const Breakdown&) = default;

 private:
  std::array<Count, kNumComponents> counts_{};
};

/// Parameters, exact. A looped layer is stored once; `executed_active` counts it once per visit.
struct ParameterCounts {
  Breakdown components;   ///< everything stored, by component
  Count total;            ///< everything stored
  Count non_embedding;    ///< total less token embedding and output head
  Count active;           ///< non-embedding with k routed experts in place of E, one traversal
  Count executed_active;  ///< the same with each layer counted v_l times
  Count active_with_embeddings;  ///< active plus token embedding and output head
};

ParameterCounts count_parameters(const Model& model);

/// A named rule for counting FLOPs: which terms join the matrix products of the layers.
struct Convention {
  std::string name;
  std::string rule;          ///< in words, one line
  bool vectors = false;      ///< norms (and biases) in the 6N sense
  bool scores = false;       ///< attention-score products, 12 Q n per executed layer
  bool output_head = false;  ///< 6 V H
};

/// paper (the default, first), matmul, 6n, full.
const std::vector<Convention>& conventions();
/// Throws InputError naming the known ones.
const Convention& convention_named(std::string_view name, std::string_view where);

/// FLOPs per token. Training is three times forward: the backward pass is twice the forward.
struct FlopCounts {
  Breakdown training_components;
  Count training_per_token;
  Count forward_per_token;
};

/// Throws InputError when the convention counts score products and the model names no attended
/// keys, or counts the output head and the model names no vocabulary.
FlopCounts count_flops(const Model& model, const Convention& convention);

/// Which visits of a looped layer keep their own keys and values.
enum class KvPolicy {
  kPerVisit,  ///< each visit writes its own: 2 W per executed layer
  kShared,    ///< all visits of a layer share one cache
  kLast,      ///< only the last visit's is kept
};

/// Elements of the KV cache per token of context.
Count kv_elements_per_token(const Model& model, KvPolicy policy = KvPolicy::kPerVisit);

/// The element type of a KV cache.
enum class KvDtype { kBf16, kFp8, kFp32 };
KvDtype parse_kv_dtype(std::string_view text, std::string_view where);
std::string_view kv_dtype_name(KvDtype dtype);
Count kv_bytes(Count elements, KvDtype dtype);

/// The two figures of a fully active control (S = 0).
struct SparsityControl {
  Count training_flops_per_token;  ///< F_0
  Count non_embedding_params;      ///< N_0
};

/// The same model with E = k.
Model fully_active(const Model& model);

/// S = 1 - (F / F_0) N_0 / N, compute-equivalent sparsity.
double sparsity(Count training_flops, Count non_embedding_params, const SparsityControl& control);

/// The three budgets that a match holds equal, per token.
struct Budget {
  Count training_flops_per_token;
  Count non_embedding_params;
  Count kv_elements_per_token;

  friend bool operator==(const Budget&, const Budget&) = default;
};

Budget budget_of(const Model& model, const Convention& convention);

/// candidate / baseline - 1 for each budget.
struct Deviation {
  double flops = 0;
  double params = 0;
  double kv = 0;

  [[nodiscard]] double max_abs() const;
};

Deviation deviation(const Budget& candidate, const Budget& baseline);

}  // namespace smelt
