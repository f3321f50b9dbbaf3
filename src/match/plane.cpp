#include "match/plane.hpp"

#include <algorithm>

namespace smelt {
namespace {

/// Whether all feed-forward widths of the model are whole multiples of its F.
bool widths_are_multiples(const Model& model) {
  const std::int64_t ffn = dimensions_of(model).ffn_width;
  return std::all_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
    const Ffn& widths = layer.ffn;
    return widths.expert_width % ffn == 0 && widths.shared_expert_width % ffn == 0 &&
           widths.dense_width % ffn == 0;
  });
}

}  // namespace

Plane::Plane(const Model& design, const Convention& convention, const Dimensions& at,
             Count kv_elements)
    : design_(design), convention_(convention), at_(at), kv_elements_(kv_elements) {
  if (!widths_are_multiples(design)) return;
  const LineCost one = costed(1);
  const LineCost two = costed(2);
  per_ffn_ = {two.flops_0 - one.flops_0, two.flops_e - one.flops_e, two.params_0 - one.params_0,
              two.params_e - one.params_e};
  at_one_ = one;
}

LineCost Plane::at_ffn(std::int64_t ffn) const {
  if (!at_one_) return costed(ffn);
  const Int128 more = ffn - 1;
  return {at_one_->flops_0 + per_ffn_.flops_0 * more, at_one_->flops_e + per_ffn_.flops_e * more,
          at_one_->params_0 + per_ffn_.params_0 * more,
          at_one_->params_e + per_ffn_.params_e * more};
}

LineCost Plane::costed(std::int64_t ffn) const {
  Dimensions dimensions = at_;
  dimensions.ffn_width = ffn;
  const Budget fewest = budget_of(with_dimensions(design_, dimensions), convention_);
  LineCost line{fewest.training_flops_per_token.value(), 0, fewest.non_embedding_params.value(), 0};
  if (at_.num_experts == 0) return line;
  dimensions.num_experts += 1;
  const Budget more = budget_of(with_dimensions(design_, dimensions), convention_);
  line.flops_e = (more.training_flops_per_token - fewest.training_flops_per_token).value();
  line.params_e = (more.non_embedding_params - fewest.non_embedding_params).value();
  line.flops_0 -= line.flops_e * at_.num_experts;
  line.params_0 -= line.params_e * at_.num_experts;
  return line;
}

}  // namespace smelt
