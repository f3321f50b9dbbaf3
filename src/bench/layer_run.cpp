#include "bench/layer_run.hpp"

#include <cassert>

namespace smelt {

std::int64_t tensor_size(const LayerShape& s, Tensor tensor) {
  const std::int64_t hidden = s.tokens * s.hidden_size;
  switch (tensor) {
    case Tensor::kQkvWeight:
    case Tensor::kQkvWeightGradient:
      return s.hidden_size * s.qkv_width();
    case Tensor::kOutputWeight:
    case Tensor::kOutputWeightGradient:
      return s.query_width() * s.hidden_size;
    case Tensor::kRouterWeight:
    case Tensor::kRouterWeightGradient:
      return s.hidden_size * s.num_experts;
    case Tensor::kGateUpWeight:
    case Tensor::kGateUpWeightGradient:
      return s.num_experts * s.hidden_size * 2 * s.expert_width;
    case Tensor::kDownWeight:
    case Tensor::kDownWeightGradient:
      return s.num_experts * s.expert_width * s.hidden_size;
    case Tensor::kQkv:
    case Tensor::kQkvGradient:
      return s.tokens * s.qkv_width();
    case Tensor::kCore:
    case Tensor::kCoreGradient:
      return s.tokens * s.query_width();
    case Tensor::kLogits:
    case Tensor::kLogitsGradient:
      return s.tokens * s.num_experts;
    case Tensor::kRouting:
    case Tensor::kRoutingGradient:
      return s.slots();
    case Tensor::kPermuted:
    case Tensor::kPermutedGradient:
    case Tensor::kExpertOutput:
    case Tensor::kExpertOutputGradient:
      return s.slots() * s.hidden_size;
    case Tensor::kGateUp:
    case Tensor::kGateUpGradient:
      return s.slots() * 2 * s.expert_width;
    case Tensor::kActivated:
    case Tensor::kActivatedGradient:
      return s.slots() * s.expert_width;
    default:
      return hidden;
  }
}

std::int64_t weight_fan_in(const LayerShape& s, Tensor tensor) {
  switch (tensor) {
    case Tensor::kQkvWeight:
    case Tensor::kRouterWeight:
    case Tensor::kGateUpWeight:
      return s.hidden_size;
    case Tensor::kOutputWeight:
      return s.query_width();
    case Tensor::kDownWeight:
      return s.expert_width;
    default:
      return 1;
  }
}

const std::vector<Step>& layer_steps() {
  using K = OperatorKind;
  static const std::vector<Step> kSteps = {
      {K::kQkvProjection, Pass::kForward},
      {K::kAttentionCore, Pass::kForward},
      {K::kOutputProjection, Pass::kForward},
      {K::kRouter, Pass::kForward},
      {K::kTopK, Pass::kForward},
      {K::kPermute, Pass::kForward},
      {K::kGateUp, Pass::kForward},
      {K::kActivation, Pass::kForward},
      {K::kDown, Pass::kForward},
      {K::kCombine, Pass::kForward},
      {K::kCombine, Pass::kBackward},
      {K::kDown, Pass::kBackwardInput},
      {K::kDown, Pass::kBackwardWeight},
      {K::kActivation, Pass::kBackward},
      {K::kGateUp, Pass::kBackwardInput},
      {K::kGateUp, Pass::kBackwardWeight},
      {K::kTopK, Pass::kBackward},
      {K::kRouter, Pass::kBackwardInput},
      {K::kRouter, Pass::kBackwardWeight},
      {K::kPermute, Pass::kBackward},
      {K::kOutputProjection, Pass::kBackwardInput},
      {K::kOutputProjection, Pass::kBackwardWeight},
      {K::kAttentionCore, Pass::kBackward},
      {K::kQkvProjection, Pass::kBackwardInput},
      {K::kQkvProjection, Pass::kBackwardWeight},
  };
  return kSteps;
}

ProductTensors product_tensors(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kQkvProjection:
      return {Tensor::kAttentionInput,         Tensor::kQkvWeight,         Tensor::kQkv,
              Tensor::kAttentionInputGradient, Tensor::kQkvWeightGradient, Tensor::kQkvGradient};
    case OperatorKind::kOutputProjection:
      return {Tensor::kCore,         Tensor::kOutputWeight,         Tensor::kAttentionOutput,
              Tensor::kCoreGradient, Tensor::kOutputWeightGradient, Tensor::kAttentionGradient};
    case OperatorKind::kRouter:
      return {Tensor::kMoeInput,
              Tensor::kRouterWeight,
              Tensor::kLogits,
              Tensor::kRouterInputGradient,
              Tensor::kRouterWeightGradient,
              Tensor::kLogitsGradient};
    case OperatorKind::kGateUp:
      return {Tensor::kPermuted,         Tensor::kGateUpWeight,         Tensor::kGateUp,
              Tensor::kPermutedGradient, Tensor::kGateUpWeightGradient, Tensor::kGateUpGradient};
    default:
      assert(kind == OperatorKind::kDown);
      return {Tensor::kActivated,          Tensor::kDownWeight,
              Tensor::kExpertOutput,       Tensor::kActivatedGradient,
              Tensor::kDownWeightGradient, Tensor::kExpertOutputGradient};
  }
}

ProductWidths product_widths(const LayerShape& shape, OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kQkvProjection:
      return {shape.hidden_size, shape.qkv_width()};
    case OperatorKind::kOutputProjection:
      return {shape.query_width(), shape.hidden_size};
    case OperatorKind::kRouter:
      return {shape.hidden_size, shape.num_experts};
    case OperatorKind::kGateUp:
      return {shape.hidden_size, 2 * shape.expert_width};
    default:
      return {shape.expert_width, shape.hidden_size};
  }
}

bool is_expert_product(OperatorKind kind) {
  return kind == OperatorKind::kGateUp || kind == OperatorKind::kDown;
}

bool is_product(OperatorKind kind) {
  return kind == OperatorKind::kQkvProjection || kind == OperatorKind::kOutputProjection ||
         kind == OperatorKind::kRouter || is_expert_product(kind);
}

}  // namespace smelt
