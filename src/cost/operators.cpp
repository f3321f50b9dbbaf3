#include "smelt/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>

#include "core/enum_names.hpp"
#include "smelt/error.hpp"
#include "smelt/rational.hpp"

namespace smelt {

namespace {

constexpr EnumNames<OperatorKind, kNumOperatorKinds> kOperators = {
    {{{OperatorKind::kNorms, "norms"},
      {OperatorKind::kQkvProjection, "qkv_projection"},
      {OperatorKind::kAttentionCore, "attention_core"},
      {OperatorKind::kOutputProjection, "output_projection"},
      {OperatorKind::kRouter, "router"},
      {OperatorKind::kTopK, "top_k"},
      {OperatorKind::kPermute, "permute"},
      {OperatorKind::kGateUp, "gate_up"},
      {OperatorKind::kActivation, "activation"},
      {OperatorKind::kDown, "down"},
      {OperatorKind::kCombine, "combine"},
      {OperatorKind::kSharedGate, "shared_gate"},
      {OperatorKind::kSharedGateUp, "shared_gate_up"},
      {OperatorKind::kSharedActivation, "shared_activation"},
      {OperatorKind::kSharedDown, "shared_down"},
      {OperatorKind::kDenseGateUp, "dense_gate_up"},
      {OperatorKind::kDenseActivation, "dense_activation"},
      {OperatorKind::kDenseDown, "dense_down"}}}};

constexpr EnumNames<Pass, kNumPasses> kPasses = {{{{Pass::kForward, "forward"},
                                                   {Pass::kBackward, "backward"},
                                                   {Pass::kBackwardInput, "backward_input"},
                                                   {Pass::kBackwardWeight, "backward_weight"}}}};

constexpr EnumNames<ExecutionPhase, 3> kPhases = {{{{ExecutionPhase::kTrain, "train"},
                                                    {ExecutionPhase::kForward, "forward"},
                                                    {ExecutionPhase::kDecode, "decode"}}}};

}  // namespace

std::string_view operator_name(OperatorKind kind) { return kOperators.of(kind); }
std::string_view pass_name(Pass pass) { return kPasses.of(pass); }
std::string_view phase_name(ExecutionPhase phase) { return kPhases.of(phase); }
ExecutionPhase parse_phase(std::string_view text, std::string_view where) {
  return kPhases.parse(text, "phase", where);
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
    if (layer_.ffn.shared_expert_gate) {
      add_dense_product(OperatorKind::kSharedGate, model_.hidden_size, 1);
    }
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
    // A norm reads and writes its input; backward reads it and its gradient and writes one.
    add_plain(OperatorKind::kNorms, tokens_ * hidden_ * layer_.norms * 2,
              tokens_ * hidden_ * layer_.norms * 3);
    std::visit([this](const auto& attention) { add_attention_of(attention); }, layer_.attention);
  }

  void add_attention_of(const GroupedQueryAttention& a) {
    const std::int64_t query = a.query_width();
    const std::int64_t own_kv = a.own_keys_values ? 2 * a.kv_width() : 0;
    const std::int64_t gate = a.output_gate ? query : 0;
    add_dense_product(OperatorKind::kQkvProjection, model_.hidden_size, query + own_kv + gate);
    add_core({query, query, Count(a.kv_width()) * 2});
    add_dense_product(OperatorKind::kOutputProjection, query, model_.hidden_size);
  }

  /// Queries and keys-values each by way of their latent; decoding reads the cached latents.
  void add_attention_of(const LatentAttention& a) {
    const std::int64_t query = a.num_heads * a.qk_head_dim();
    const std::int64_t value = a.num_heads * a.v_head_dim;
    constexpr OperatorKind kDown = OperatorKind::kQkvProjection;
    if (a.q_lora_rank > 0) add_dense_product(kDown, model_.hidden_size, a.q_lora_rank);
    add_dense_product(kDown, a.q_lora_rank > 0 ? a.q_lora_rank : model_.hidden_size, query);
    add_dense_product(kDown, model_.hidden_size, a.kv_lora_rank + a.qk_rope_head_dim);
    add_dense_product(kDown, a.kv_lora_rank, a.num_heads * a.qk_nope_head_dim + value);
    add_core({query, value, Count(query) + value});
    add_dense_product(OperatorKind::kOutputProjection, value, model_.hidden_size);
  }

  static void add_attention_of(const GatedLinearAttention&) {
    throw InputError("", "the time model knows no linear attention",
                     "softmax attention in every layer");
  }

  /// Elements per token that the core reads as queries, writes as output, and reads as keys and
  /// values.
  struct CoreWidths {
    Count queries;
    Count outputs;
    Count keys_values;
  };

  /// 2 FLOPs per element of scores and key. Q, K, V read and O written; backward reads these and
  /// dO and writes their gradients. Decoding reads n cached keys and values for each token instead.
  void add_core(const CoreWidths& width) {
    const Rational keys = mean_keys(model_, layer_);
    const Count flops = round_product(tokens_ * score_width(layer_.attention) * kFlopsPerMac, keys);
    const Count keys_values = work_.phase == ExecutionPhase::kDecode
                                  ? round_product(tokens_ * cache_width(layer_.attention), keys)
                                  : tokens_ * width.keys_values;
    const Count forward = tokens_ * (width.queries + width.outputs) + keys_values;
    forward_.push_back(
        {OperatorKind::kAttentionCore, Pass::kForward, flops, forward * work_.element_bytes, {}});
    if (!trains()) return;
    const Count backward = tokens_ * (width.queries + width.outputs + width.keys_values) * 2;
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
  if (model.loop.inject_matrices > 0 || model.loop.adapter_rank > 0) {
    throw InputError("", "the time model knows no inject matrices or adapters of a loop",
                     "a loop that repeats its layers as they are");
  }
  return LayerList(model, layer, workload).list();
}

}  // namespace smelt
