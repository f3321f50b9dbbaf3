#include "smelt/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <string>

#include "smelt/error.hpp"
#include "smelt/rational.hpp"

namespace smelt {

std::string_view operator_name(OperatorKind kind) {
  static constexpr std::array<std::string_view, kNumOperatorKinds> kNames = {"norms",
                                                                             "qkv_projection",
                                                                             "attention_core",
                                                                             "output_projection",
                                                                             "router",
                                                                             "top_k",
                                                                             "permute",
                                                                             "gate_up",
                                                                             "activation",
                                                                             "down",
                                                                             "combine",
                                                                             "shared_gate_up",
                                                                             "shared_activation",
                                                                             "shared_down",
                                                                             "dense_gate_up",
                                                                             "dense_activation",
                                                                             "dense_down"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view pass_name(Pass pass) {
  static constexpr std::array<std::string_view, kNumPasses> kNames = {
      "forward", "backward", "backward_input", "backward_weight"};
  return kNames[static_cast<std::size_t>(pass)];
}

std::string_view phase_name(ExecutionPhase phase) {
  static constexpr std::array<std::string_view, 3> kNames = {"train", "forward", "decode"};
  return kNames[static_cast<std::size_t>(phase)];
}

ExecutionPhase parse_phase(std::string_view text, std::string_view where) {
  for (const ExecutionPhase phase :
       {ExecutionPhase::kTrain, ExecutionPhase::kForward, ExecutionPhase::kDecode}) {
    if (phase_name(phase) == text) return phase;
  }
  throw InputError(std::string(where), fmt::format("unknown phase '{}'", text),
                   "train, forward or decode");
}

namespace {

constexpr std::int64_t kFlopsPerMac = 2;
constexpr std::int64_t kIndexBytes = 4;

Count total(const std::vector<std::int64_t>& rows) {
  return std::accumulate(rows.begin(), rows.end(), Count{});
}

/// Collects the operators of one layer: forward ones in order, backward ones in reverse.
class LayerList {
 public:
  LayerList(const Model& model, const Layer& layer, const Workload& workload)
      : model_(model),
        layer_(layer),
        work_(workload),
        tokens_(workload.tokens),
        hidden_(model.hidden_size),
        slots_(tokens_ * layer.ffn.num_experts_per_tok) {}

  std::vector<Operator> list() {
    add_attention();
    if (layer_.ffn.num_experts > 0) add_routed_experts();
    add_ffn(
        {OperatorKind::kSharedGateUp, OperatorKind::kSharedActivation, OperatorKind::kSharedDown},
        layer_.ffn.num_shared_experts, layer_.ffn.shared_expert_width);
    add_ffn({OperatorKind::kDenseGateUp, OperatorKind::kDenseActivation, OperatorKind::kDenseDown},
            layer_.ffn.dense_width > 0 ? 1 : 0, layer_.ffn.dense_width);
    std::vector<Operator> all = std::move(forward_);
    all.insert(all.end(), backward_.rbegin(), backward_.rend());
    return all;
  }

 private:
  struct FfnKinds {
    OperatorKind gate_up, activation, down;
  };

  [[nodiscard]] bool trains() const { return work_.phase == ExecutionPhase::kTrain; }

  /// An operator without weights; element counts, and bytes of indices moved either way.
  void add_plain(OperatorKind kind, Count forward_elements, Count backward_elements,
                 Count index_bytes = 0) {
    forward_.push_back(
        {kind, Pass::kForward, 0, forward_elements * work_.element_bytes + index_bytes, {}});
    if (!trains()) return;
    backward_.push_back(
        {kind, Pass::kBackward, 0, backward_elements * work_.element_bytes + index_bytes, {}});
  }

  /// A grouped product: input, weights and output each moved once in all three directions. Weights
  /// of a group without rows are not read, but their gradient is written.
  void add_product(OperatorKind kind, GroupedProduct product) {
    const Count rows = total(product.rows);
    const Count weights = Count(product.inner) * product.columns;
    const Count flops = rows * weights * kFlopsPerMac;
    const Count moved = rows * (Count(product.inner) + product.columns);
    const auto groups = static_cast<std::int64_t>(product.rows.size());
    const std::int64_t touched =
        groups - std::count(product.rows.begin(), product.rows.end(), std::int64_t{0});
    const auto bytes = [&](std::int64_t weight_sets) {
      return (moved + weights * weight_sets) * work_.element_bytes;
    };
    if (trains()) {
      backward_.push_back({kind, Pass::kBackwardWeight, flops, bytes(groups), product});
      backward_.push_back({kind, Pass::kBackwardInput, flops, bytes(touched), product});
    }
    forward_.push_back({kind, Pass::kForward, flops, bytes(touched), std::move(product)});
  }

  void add_dense_product(OperatorKind kind, std::int64_t inner, std::int64_t columns) {
    add_product(kind, {{work_.tokens}, inner, columns});
  }

  void add_attention() {
    const std::int64_t query = layer_.attention.query_width();
    const std::int64_t kv = layer_.attention.kv_width();
    // A norm reads and writes its input; backward reads it and its gradient and writes one.
    add_plain(OperatorKind::kNorms, tokens_ * hidden_ * layer_.norms * 2,
              tokens_ * hidden_ * layer_.norms * 3);
    add_dense_product(OperatorKind::kQkvProjection, model_.hidden_size,
                      (Count(query) + Count(kv) * 2).value());
    add_attention_core(query, kv);
    add_dense_product(OperatorKind::kOutputProjection, query, model_.hidden_size);
  }

  /// 4 Q n FLOPs per token. Q, K, V read and O written; backward reads these and dO and writes
  /// their gradients. Decoding reads n cached keys and values for each token instead.
  void add_attention_core(Count query, Count kv) {
    if (!model_.attended_keys) {
      throw InputError("/attended_keys", "the model names no attended keys",
                       "give --attended-keys N, --doc-len T or --seq-len S");
    }
    const Count flops = round_product(tokens_ * query * 2 * kFlopsPerMac, *model_.attended_keys);
    const Count keys_values = work_.phase == ExecutionPhase::kDecode
                                  ? round_product(tokens_ * kv * 2, *model_.attended_keys)
                                  : tokens_ * kv * 2;
    const Count forward = tokens_ * query * 2 + keys_values;
    forward_.push_back(
        {OperatorKind::kAttentionCore, Pass::kForward, flops, forward * work_.element_bytes, {}});
    if (!trains()) return;
    const Count backward = tokens_ * (query * 4 + kv * 4);
    backward_.push_back({OperatorKind::kAttentionCore,
                         Pass::kBackward,
                         flops * 2,
                         backward * work_.element_bytes,
                         {}});
  }

  void add_routed_experts() {
    const Ffn& ffn = layer_.ffn;
    assert(static_cast<std::int64_t>(work_.expert_rows.size()) == ffn.num_experts);
    assert(total(work_.expert_rows) == slots_);
    add_dense_product(OperatorKind::kRouter, model_.hidden_size, ffn.num_experts);
    const Count logits = tokens_ * ffn.num_experts;
    add_plain(OperatorKind::kTopK, logits + slots_, logits + slots_ * 2, slots_ * kIndexBytes);
    // Backward adds the k gradients of a token and the router's.
    add_plain(OperatorKind::kPermute, tokens_ * hidden_ + slots_ * hidden_,
              tokens_ * hidden_ * 2 + slots_ * hidden_, slots_ * kIndexBytes);
    add_experts({OperatorKind::kGateUp, OperatorKind::kActivation, OperatorKind::kDown},
                work_.expert_rows, ffn.expert_width);
    add_plain(OperatorKind::kCombine, slots_ * hidden_ + slots_ + tokens_ * hidden_,
              tokens_ * hidden_ + slots_ * hidden_ * 2 + slots_ * 2, slots_ * kIndexBytes);
  }

  void add_ffn(FfnKinds kinds, std::int64_t groups, std::int64_t width) {
    if (groups == 0) return;
    add_experts(kinds, std::vector<std::int64_t>(static_cast<std::size_t>(groups), work_.tokens),
                width);
  }

  /// g - 1 matrices of H x F (gate and up, or up alone), the activation, and F x H down.
  void add_experts(FfnKinds kinds, const std::vector<std::int64_t>& rows, std::int64_t width) {
    const std::int64_t up = layer_.ffn.matrices - 1;
    const Count values = total(rows) * width;
    add_product(kinds.gate_up, {rows, model_.hidden_size, (Count(width) * up).value()});
    add_plain(kinds.activation, values * (up + 1), values * (2 * up + 1));
    add_product(kinds.down, {rows, width, model_.hidden_size});
  }

  const Model& model_;
  const Layer& layer_;
  const Workload& work_;
  const Count tokens_;
  const Count hidden_;
  const Count slots_;  ///< T k, rows of all experts
  std::vector<Operator> forward_;
  std::vector<Operator> backward_;
};

}  // namespace

std::vector<Operator> layer_operators(const Model& model, const Layer& layer,
                                      const Workload& workload) {
  return LayerList(model, layer, workload).list();
}

}  // namespace smelt
