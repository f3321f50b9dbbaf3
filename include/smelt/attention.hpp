#pragma once

#include <cstdint>
#include <optional>
#include <variant>

namespace smelt {

/// Norms of queries and keys before their product.
enum class QkNorm {
  kNone,
  kPerHead,     ///< one vector of head_dim for all query heads, one for all key heads (Qwen3)
  kFull,        ///< a vector of the query width and one of the key width (OLMoE)
  kWeightless,  ///< normalised without a weight (Llama 4)
};

/// Which projections add a bias of their output's width.
struct ProjectionBiases {
  bool query = false;
  bool key = false;
  bool value = false;
  bool output = false;

  friend bool operator==(const ProjectionBiases&, const ProjectionBiases&) = default;
};

/// Multi-head, grouped-query or multi-query softmax attention: query width Q = num_heads x
/// head_dim, key and value width W = num_key_value_heads x head_dim.
struct GroupedQueryAttention {
  std::int64_t num_heads = 0;            ///< n_q
  std::int64_t num_key_value_heads = 0;  ///< n_kv, divides n_q
  std::int64_t head_dim = 0;             ///< d, elements of one head
  QkNorm qk_norm = QkNorm::kNone;
  ProjectionBiases bias = {};
  bool sinks = false;        ///< one learned logit per query head joins the softmax (gpt-oss)
  bool output_gate = false;  ///< a further H x Q projection gates the output (Qwen3-Next)
  /// Without its own the layer attends to the keys and values of an earlier layer: no key and
  /// value projections, nothing cached (cross-layer attention).
  bool own_keys_values = true;

  [[nodiscard]] std::int64_t query_width() const { return num_heads * head_dim; }
  [[nodiscard]] std::int64_t kv_width() const { return num_key_value_heads * head_dim; }
  friend bool operator==(const GroupedQueryAttention&, const GroupedQueryAttention&) = default;
};

/// Multi-head latent attention: keys and values are projected down to a latent of kv_lora_rank,
/// cached together with one rotary key of qk_rope_head_dim (DeepSeek-V2, arXiv:2405.04434).
struct LatentAttention {
  std::int64_t num_heads = 0;
  std::int64_t q_lora_rank = 0;  ///< 0: queries are projected in one step
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
  bool bias = false;  ///< on the two down projections and the output

  [[nodiscard]] std::int64_t qk_head_dim() const { return qk_nope_head_dim + qk_rope_head_dim; }
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

/// Gated delta-rule linear attention: a fixed state of key_head_dim x value_head_dim per value head
/// in place of a cache (Gated DeltaNet, arXiv:2412.06464, as Qwen3-Next builds it).
struct GatedLinearAttention {
  std::int64_t num_key_heads = 0;
  std::int64_t num_value_heads = 0;  ///< a multiple of num_key_heads
  std::int64_t key_head_dim = 0;
  std::int64_t value_head_dim = 0;
  std::int64_t conv_kernel = 0;  ///< width of the causal convolution over queries, keys, values

  [[nodiscard]] std::int64_t key_width() const { return num_key_heads * key_head_dim; }
  [[nodiscard]] std::int64_t value_width() const { return num_value_heads * value_head_dim; }
  /// Channels that pass through the convolution.
  [[nodiscard]] std::int64_t conv_width() const { return 2 * key_width() + value_width(); }
  friend bool operator==(const GatedLinearAttention&, const GatedLinearAttention&) = default;
};

using Attention = std::variant<GroupedQueryAttention, LatentAttention, GatedLinearAttention>;

/// The head shape that a search moves.
struct HeadGeometry {
  std::int64_t num_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;

  friend bool operator==(const HeadGeometry&, const HeadGeometry&) = default;
};

/// The heads of grouped-query attention; absent for the other kinds.
std::optional<HeadGeometry> head_geometry(const Attention& attention);

/// Replaces the heads of grouped-query attention; the other kinds stay as they are.
void set_head_geometry(Attention& attention, const HeadGeometry& geometry);

/// n_q (d_qk + d_v) / 2 x 2: elements that the two score products touch per attended key. Twice Q
/// for grouped-query attention, n_q (d_qk + d_v) for latent attention, 0 for linear attention.
std::int64_t score_width(const Attention& attention);

/// Elements that one execution adds to the KV cache per token: 2 W, or the latent and its rotary
/// key, or nothing.
std::int64_t cache_width(const Attention& attention);

/// Elements of the fixed state that linear attention keeps per sequence in place of a cache; 0 for
/// the other kinds.
std::int64_t state_elements(const Attention& attention);

/// How far back a layer attends.
struct AttentionWindow {
  enum class Kind {
    kFull,
    kSliding,  ///< the last `tokens` keys, the own one included
    kChunked,  ///< the keys of the own block of `tokens`
  };
  Kind kind = Kind::kFull;
  std::int64_t tokens = 0;

  [[nodiscard]] bool bounded() const { return kind != Kind::kFull; }
  friend bool operator==(const AttentionWindow&, const AttentionWindow&) = default;
};

}  // namespace smelt
