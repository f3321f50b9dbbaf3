#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "smelt/count.hpp"
#include "smelt/model.hpp"
#include "smelt/operator_kind.hpp"

namespace smelt {

/// The operator's key in JSON: "qkv_projection", "attention_core", "router", "gate_up", ...
std::string_view operator_name(OperatorKind kind);
/// "forward", "backward", "backward_input", "backward_weight".
std::string_view pass_name(Pass pass);

/// Independent matrix products of one weight shape, one per group: group g multiplies
/// (rows[g] x inner) by (inner x columns), `inner` and `columns` being those of the forward
/// product. Towards the inputs it is (rows[g] x columns) by (columns x inner), towards the weights
/// (inner x rows[g]) by (rows[g] x columns).
struct GroupedProduct {
  std::vector<std::int64_t> rows;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
};

/// One operator of one visit of a layer.
struct Operator {
  OperatorKind kind{};
  Pass pass{};
  Count flops;  ///< of matrix products, 2 per multiply-accumulate; 0 for all other operators
  Count bytes;  ///< the fewest that device memory moves: each input read once, each output written
  std::optional<GroupedProduct> product;  ///< of projections, router and FFN matrices
};

/// What a layer is executed for.
enum class ExecutionPhase {
  kTrain,    ///< forward and both backward products
  kForward,  ///< forward alone (prefill)
  kDecode,   ///< one new token of each of `tokens` sequences, keys and values read from the cache
};
/// "train", "forward", "decode".
std::string_view phase_name(ExecutionPhase phase);
/// Throws InputError at `where`.
ExecutionPhase parse_phase(std::string_view text, std::string_view where);

/// What to execute a layer on.
struct Workload {
  std::int64_t tokens = 0;
  ExecutionPhase phase = ExecutionPhase::kTrain;
  std::int64_t element_bytes = 2;         ///< of weights, activations and gradients
  std::vector<std::int64_t> expert_rows;  ///< rows of each routed expert; empty where there is none
};

/// The operators of one visit of `layer` in order of execution. Their FLOPs add up to those of the
/// cost model under the convention `matmul`, times the tokens: exactly wherever 4 Q n is whole (it
/// is for whole documents), else to within half a FLOP per token and score product.
///
/// The backward pass of the attention core counts twice its forward, as the cost model does.
/// Throws InputError when the model names no attended keys, and for what is not modelled: linear
/// attention, inject matrices and adapters of a loop.
std::vector<Operator> layer_operators(const Model& model, const Layer& layer,
                                      const Workload& workload);

}  // namespace smelt
