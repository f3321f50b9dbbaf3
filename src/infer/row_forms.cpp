#include "infer/row_forms.hpp"

#include "smelt/cost.hpp"
#include "smelt/model.hpp"

namespace smelt {
namespace {

/// A row's model at one geometry, with heads of size 1: counts depend on the widths alone.
Model model_at(const PrintedRow& row, const InferredGeometry& geometry, std::int64_t experts,
               std::int64_t keys) {
  Layer layer;
  layer.attention = GroupedQueryAttention{
      .num_heads = geometry.query_width, .num_key_value_heads = geometry.kv_width, .head_dim = 1};
  layer.ffn.matrices = geometry.matrices;
  if (experts > 0) {
    layer.ffn.num_experts = experts;
    layer.ffn.num_experts_per_tok = row.num_experts_per_tok;
    layer.ffn.expert_width = geometry.expert_ffn;
  } else {
    layer.ffn.dense_width = geometry.expert_ffn;
  }
  layer.ffn.num_shared_experts = geometry.shared_experts;
  layer.ffn.shared_expert_width = geometry.shared_experts > 0 ? geometry.expert_ffn : 0;
  Model model = uniform_stack(row.hidden_size, row.num_layers, layer, row.loop);
  model.attended_keys = Rational(keys);
  return model;
}

/// The form through five geometries.
template <typename CountAt>
CountForm form_of(InferredGeometry geometry, CountAt count_at) {
  geometry.query_width = geometry.kv_width = geometry.expert_ffn = 1;
  const auto count = [&](std::int64_t q, std::int64_t w, std::int64_t f, std::int64_t keys) {
    InferredGeometry at = geometry;
    at.query_width = q;
    at.kv_width = w;
    at.expert_ffn = f;
    return Int128{count_at(at, keys).value()};
  };
  const Int128 unit = count(1, 1, 1, 1);
  CountForm form;
  form.per_score = count(1, 1, 1, 2) - unit;
  form.per_query = count(2, 1, 1, 1) - unit - form.per_score;
  form.per_kv = count(1, 2, 1, 1) - unit;
  form.per_ffn = count(1, 1, 2, 1) - unit;
  form.constant = unit - form.per_query - form.per_kv - form.per_ffn - form.per_score;
  return form;
}

}  // namespace

RowForms row_forms(const PrintedRow& row, std::int64_t matrices, std::int64_t shared_experts,
                   const Convention& convention) {
  const InferredGeometry geometry{1, 1, 1, matrices, shared_experts};
  const auto params = [&](std::int64_t experts, Count ParameterCounts::*which) {
    return form_of(geometry, [&, experts, which](const InferredGeometry& at, std::int64_t keys) {
      return count_parameters(model_at(row, at, experts, keys)).*which;
    });
  };
  const auto flops = [&](std::int64_t experts) {
    return form_of(geometry, [&, experts](const InferredGeometry& at, std::int64_t keys) {
      return count_flops(model_at(row, at, experts, keys), convention).training_per_token;
    });
  };
  RowForms forms;
  forms.active = params(row.num_experts, &ParameterCounts::active);
  forms.total = params(row.num_experts, &ParameterCounts::non_embedding);
  forms.flops = flops(row.num_experts);
  forms.control_total = params(row.num_experts_per_tok, &ParameterCounts::non_embedding);
  forms.control_flops = flops(row.num_experts_per_tok);
  forms.kv_per_width = kv_elements_per_token(model_at(row, geometry, row.num_experts, 1)).value();
  return forms;
}

}  // namespace smelt
