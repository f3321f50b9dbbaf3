#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "smelt/attention.hpp"
#include "smelt/context.hpp"
#include "smelt/loop.hpp"
#include "smelt/rational.hpp"

namespace smelt {

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
  bool bias = false;                     ///< the dense FFN's matrices add biases
  bool expert_bias = false;              ///< the experts' matrices add biases
  bool router_bias = false;              ///< E, added to the router's logits
  bool router_correction_bias = false;   ///< E, steers the choice of experts (DeepSeek-V3)
  bool shared_expert_gate = false;       ///< H, weighs the shared experts' output (Qwen2-MoE)

  friend bool operator==(const Ffn&, const Ffn&) = default;
};

/// One physical layer: its own weights, executed `visits` times.
struct Layer {
  Attention attention;
  Ffn ffn;
  std::int64_t norms = 2;   ///< norms over hidden_size
  std::int64_t visits = 1;  ///< v_l: 1 outside the loop, r inside
  AttentionWindow window;

  friend bool operator==(const Layer&, const Layer&) = default;
};

/// What one norm over a width stores.
enum class NormKind {
  kWeight,         ///< one vector (RMSNorm; LayerNorm without bias)
  kWeightAndBias,  ///< two (LayerNorm)
  kWeightless,     ///< none
};

/// Vectors that a norm of this kind stores: 1, 2 or 0.
std::int64_t norm_vectors(NormKind kind);

/// Embedding tables beside the token embedding, and how they meet the stack.
struct EmbeddingExtras {
  std::int64_t positions = 0;    ///< rows of a learned position table
  std::int64_t token_types = 0;  ///< rows of a token-type table
  /// Width of the tables where it is not hidden_size: a projection with bias follows (ALBERT).
  std::int64_t embedding_size = 0;
  std::int64_t norms = 0;  ///< norms on the embedded tokens, of the tables' width

  friend bool operator==(const EmbeddingExtras&, const EmbeddingExtras&) = default;
};

/// Weights of the model outside its layers, by name ("pooler", "exit_gate"): as stored, and as
/// often as a token meets them.
struct NamedWeights {
  std::string name;
  std::int64_t matrix = 0;   ///< weights that are multiplied
  std::int64_t vectors = 0;  ///< biases, scales
  std::int64_t visits = 1;   ///< executions per token; 0 where only some tokens meet it

  friend bool operator==(const NamedWeights&, const NamedWeights&) = default;
};

/// A transformer as the cost model sees it.
struct Model {
  std::string name;
  std::int64_t hidden_size = 0;  ///< H
  std::vector<Layer> layers;     ///< in order; a looped layer appears once
  LoopOptions loop;              ///< how the looped layers run
  NormKind norm = NormKind::kWeight;
  std::int64_t final_norms = 1;  ///< norms over hidden_size behind the stack
  std::int64_t vocab_size = 0;   ///< V; 0 where it is not stated
  bool tie_word_embeddings = false;
  bool has_output_head = true;    ///< false for an encoder's backbone
  bool output_head_bias = false;  ///< V, counted among the extras
  EmbeddingExtras embedding;
  std::vector<NamedWeights> extras;
  /// Multi-token-prediction modules: a layer each, with a 2H x H projection and three norms.
  /// Counted apart from the model.
  std::vector<Layer> mtp_layers;
  bool causal = true;  ///< false for an encoder, which keeps no KV cache
  /// n, the mean number of keys a query attends to; absent where it is not stated.
  std::optional<Rational> attended_keys;
  /// How long the documents are; with it n is exact for each layer's window.
  std::optional<DocumentLaw> documents;
  /// S, tokens of one training sequence; conventions written in S take it from here.
  std::optional<std::int64_t> sequence_length;

  [[nodiscard]] std::int64_t num_layers() const { return static_cast<std::int64_t>(layers.size()); }
  friend bool operator==(const Model&, const Model&) = default;
};

/// How often one sublayer of a physical layer counts.
struct SublayerCounts {
  std::int64_t stored = 0;    ///< sets of weights
  std::int64_t executed = 0;  ///< forward passes of a token
  std::int64_t backward = 0;  ///< backward passes of a token
  std::int64_t cached = 0;    ///< sets of keys and values kept; 0 for a feed-forward sublayer

  friend bool operator==(const SublayerCounts&, const SublayerCounts&) = default;
};

/// The counts of a layer's attention and of its feed-forward sublayer.
struct LayerCounts {
  SublayerCounts attention;
  SublayerCounts ffn;
};

LayerCounts layer_counts(const Model& model, const Layer& layer);

/// L_eff, the number of executed layers: the sum of visits.
std::int64_t effective_layers(const Model& model);

/// The runs of looped layers in order; empty for a plain stack.
std::vector<LoopSpan> loop_spans(const Model& model);

/// Whether all layers are alike but for their visits.
bool is_uniform(const Model& model);

/// Sets the visits of the span's layers; all others stay as they are.
/// Throws InputError when the span leaves the stack or visits < 1.
void apply_loop(Model& model, const LoopSpan& span);

/// Mean attended keys of causal attention over whole documents of T tokens: (T + 1) / 2.
Rational causal_mean_keys(std::int64_t document_length);

/// n of one layer: exact from the document law where there is one, else attended_keys capped by the
/// layer's window, else one document that fills the sequence.
/// Throws InputError when the model states none of the three.
Rational mean_keys(const Model& model, const Layer& layer);

/// `num_layers` layers alike, with the loop (if any) applied. Throws InputError as apply_loop does.
Model uniform_stack(std::int64_t hidden_size, std::int64_t num_layers, const Layer& layer,
                    const std::optional<LoopSpan>& loop = std::nullopt);

/// Throws InputError with every mistake of the model, each at its Hugging Face key: sizes below 1,
/// query heads that key-value heads do not divide, more chosen than stored experts, an empty stack.
void validate(const Model& model);

/// The most layers a stack may have.
inline constexpr std::int64_t kMostLayers = 100'000;

}  // namespace smelt
