#pragma once

// Plain C++17, so that CUDA sources may include it.

namespace smelt {

/// The operators that one visit of a transformer layer consists of. The products of routed experts,
/// of shared experts and of a dense FFN are different operators: their rows differ.
enum class OperatorKind {
  kNorms,             ///< the layer's norms
  kQkvProjection,     ///< queries, keys and values in one product
  kAttentionCore,     ///< Q K^T, softmax, P V
  kOutputProjection,  ///< of attention
  kRouter,            ///< the router's product: logits of every expert
  kTopK,              ///< the k largest logits of a token and their softmax
  kPermute,           ///< token rows gathered by expert
  kGateUp,            ///< routed experts: gate and up in one product (up alone without a gate)
  kActivation,
  kDown,
  kCombine,     ///< the k expert outputs of a token, weighted and added
  kSharedGate,  ///< the weight of the shared experts' output
  kSharedGateUp,
  kSharedActivation,
  kSharedDown,
  kDenseGateUp,
  kDenseActivation,
  kDenseDown,
};
inline constexpr int kNumOperatorKinds = 18;

/// What part of a training step an operator belongs to. Products have two backward passes, other
/// operators one.
enum class Pass { kForward, kBackward, kBackwardInput, kBackwardWeight };
inline constexpr int kNumPasses = 4;

}  // namespace smelt
