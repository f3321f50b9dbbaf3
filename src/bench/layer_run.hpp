#pragma once

// Plain C++17: what the CPU and the CUDA backend have in common. CUDA sources include it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "smelt/layer_shape.hpp"
#include "smelt/operator_kind.hpp"

namespace smelt {

/// The tensors of a layer, all row-major. R = T k rows are sorted by expert; gate and up lie side
/// by side in rows of 2 F; weights multiply from the right, experts one after the other.
enum class Tensor {
  // Set from outside: normal random numbers.
  kAttentionInput,     // T x H
  kAttentionGradient,  // T x H, of the attention output
  kMoeInput,           // T x H
  kMoeGradient,        // T x H, of the MoE output
  kQkvWeight,          // H x (Q + 2 W)
  kOutputWeight,       // Q x H
  kRouterWeight,       // H x E
  kGateUpWeight,       // E x H x 2 F
  kDownWeight,         // E x F x H
  // Computed forward.
  kQkv,              // T x (Q + 2 W): queries, keys, values
  kCore,             // T x Q
  kAttentionOutput,  // T x H
  kLogits,           // T x E
  kRouting,          // T x k, softmax over the chosen logits
  kPermuted,         // R x H
  kGateUp,           // R x 2 F
  kActivated,        // R x F
  kExpertOutput,     // R x H
  kMoeOutput,        // T x H
  // Computed backward: the gradient of each of the above, and of the weights.
  kExpertOutputGradient,
  kRoutingGradient,
  kActivatedGradient,
  kGateUpGradient,
  kPermutedGradient,
  kLogitsGradient,
  kRouterInputGradient,  // T x H, the router's part of the MoE input's gradient
  kMoeInputGradient,
  kCoreGradient,
  kQkvGradient,
  kAttentionInputGradient,
  kQkvWeightGradient,
  kOutputWeightGradient,
  kRouterWeightGradient,
  kGateUpWeightGradient,
  kDownWeightGradient,
};
inline constexpr int kNumTensors = 35;
inline constexpr int kNumInputTensors = 9;

/// Elements of a tensor.
std::int64_t tensor_size(const LayerShape& shape, Tensor tensor);
/// Rows that the elements are summed over in its product, whose square root normalises weights.
std::int64_t weight_fan_in(const LayerShape& shape, Tensor tensor);

/// One step of the layer: an operator in one direction.
struct Step {
  OperatorKind kind;
  Pass pass;
};
/// All steps in order of execution, forward, then backward.
const std::vector<Step>& layer_steps();

/// The tensors of one product: activations going in, weights, activations coming out, and the
/// gradients of the three.
struct ProductTensors {
  Tensor input, weight, output;
  Tensor input_gradient, weight_gradient, output_gradient;
};
ProductTensors product_tensors(OperatorKind kind);

/// Inner and outer width of a forward product.
struct ProductWidths {
  std::int64_t inner, columns;
};
ProductWidths product_widths(const LayerShape& shape, OperatorKind kind);

/// Whether a step multiplies by weights, and whether it does so for each expert.
bool is_product(OperatorKind kind);
bool is_expert_product(OperatorKind kind);

/// What lies in the caches when a step is timed.
enum class CacheState {
  kSequence,  ///< whatever the steps before it left
  kHot,       ///< the step itself has just run
  kCold,      ///< a buffer of twice the last-level cache has been written in between
};

/// Seconds that the host spends on something that no step's time contains.
struct HostCost {
  std::string what;
  double seconds = 0;
};

/// A layer whose tensors live on a machine.
class LayerRun {
 public:
  virtual ~LayerRun() = default;

  virtual void write(Tensor tensor, const std::vector<float>& values) = 0;
  virtual std::vector<float> read(Tensor tensor) = 0;
  /// The experts that the top-k chose, T x k.
  virtual std::vector<std::int32_t> chosen_experts() = 0;
  /// Sends slot t k + j to `experts[t k + j]` whatever the top-k chooses; k different experts a
  /// token. Empty: back to the top-k's.
  virtual void force_routing(const std::vector<std::int32_t>& experts) = 0;
  /// Overwrites every computed tensor with NaN.
  virtual void poison() = 0;

  /// Runs all steps in order.
  virtual void run() = 0;
  /// Runs all steps in order and returns the seconds of each.
  virtual std::vector<double> time_steps(CacheState state) = 0;
  /// Replays all steps as one captured graph and returns its seconds; 0 where there is no graph.
  virtual double time_graph() { return 0; }
  /// What the host spends beside the steps on one run, by name.
  virtual std::vector<HostCost> host_costs() { return {}; }
};

}  // namespace smelt
