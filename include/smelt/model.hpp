#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/rational.hpp"

namespace smelt {

/// Multi-head, grouped-query or multi-query attention: query width Q = num_heads x head_dim, key
/// and value width W = num_key_value_heads x head_dim.
struct Attention {
  std::int64_t num_heads = 0;            ///< n_q
  std::int64_t num_key_value_heads = 0;  ///< n_kv, divides n_q
  std::int64_t head_dim = 0;             ///< d, elements of one head

  [[nodiscard]] std::int64_t query_width() const { return num_heads * head_dim; }
  [[nodiscard]] std::int64_t kv_width() const { return num_key_value_heads * head_dim; }
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// A feed-forward sublayer. Routed experts, shared experts and a dense FFN are each absent at 0;
/// what is present runs side by side on the same input.
struct Ffn {
  std::int64_t matrices = 3;             ///< g: 3 gated (SwiGLU, GeGLU), 2 plain
  std::int64_t num_experts = 0;          ///< E, routed experts stored
  std::int64_t num_experts_per_tok = 0;  ///< k, experts a token visits
  std::int64_t expert_width = 0;         ///< F, of one routed expert
  std::int64_t num_shared_experts = 0;   ///< n_s, experts that every token visits
  std::int64_t shared_expert_width = 0;  ///< F_s, of one shared expert
  std::int64_t dense_width = 0;          ///< F_dense

  friend bool operator==(const Ffn&, const Ffn&) = default;
};

/// One physical layer: its own weights, executed `visits` times.
struct Layer {
  Attention attention;
  Ffn ffn;
  std::int64_t norms = 2;   ///< weight vectors of hidden_size
  std::int64_t visits = 1;  ///< v_l: 1 outside the loop, r inside

  friend bool operator==(const Layer&, const Layer&) = default;
};

/// `length` consecutive layers from `start` (counted from 0), run `visits` times.
struct LoopSpan {
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::int64_t visits = 1;

  friend bool operator==(const LoopSpan&, const LoopSpan&) = default;
};

/// A transformer as the cost model sees it.
struct Model {
  std::string name;
  std::int64_t hidden_size = 0;  ///< H
  std::vector<Layer> layers;     ///< in order; a looped layer appears once
  std::int64_t vocab_size = 0;   ///< V; 0 where it is not stated
  bool tie_word_embeddings = false;
  /// n, the mean number of keys a query attends to; absent where it is not stated.
  std::optional<Rational> attended_keys;

  [[nodiscard]] std::int64_t num_layers() const { return static_cast<std::int64_t>(layers.size()); }
  friend bool operator==(const Model&, const Model&) = default;
};

/// L_eff, the number of executed layers: the sum of visits.
std::int64_t effective_layers(const Model& model);

/// The runs of looped layers in order; empty for a plain stack.
std::vector<LoopSpan> loop_spans(const Model& model);

/// Whether all layers are alike but for their visits.
bool is_uniform(const Model& model);

/// Sets the visits of the span's layers; all others stay as they are.
/// Throws InputError when the span leaves the stack or visits < 1.
void apply_loop(Model& model, const LoopSpan& span);

/// A loop asked for in words, resolved against a stack of `num_layers`: "1/2x2" (the middle half,
/// twice: floor((L - m) / 2) layers stand before it), "4-9x2" (layers 4 to 9 counted from 1, twice)
/// or "none" (no span). Throws InputError at `where`.
std::optional<LoopSpan> parse_loop(std::string_view text, std::int64_t num_layers,
                                   std::string_view where);

/// Mean attended keys of causal attention over whole documents of T tokens: (T + 1) / 2.
Rational causal_mean_keys(std::int64_t document_length);

/// `num_layers` layers alike, with the loop (if any) applied. Throws InputError as apply_loop does.
Model uniform_stack(std::int64_t hidden_size, std::int64_t num_layers, const Layer& layer,
                    const std::optional<LoopSpan>& loop = std::nullopt);

/// Throws InputError with every mistake of the model, each at its Hugging Face key: sizes below 1,
/// query heads that key-value heads do not divide, more chosen than stored experts, an empty stack.
void validate(const Model& model);

/// The most layers a stack may have, and the most visits of a loop.
inline constexpr std::int64_t kMostLayers = 100'000;
inline constexpr std::int64_t kMostVisits = 1'000'000;

}  // namespace smelt
