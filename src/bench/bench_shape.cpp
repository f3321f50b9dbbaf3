#include "bench/bench_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "smelt/error.hpp"
#include "smelt/rational.hpp"

namespace smelt {

namespace {

void check_layers(const Model& model) {
  Mistakes mistakes;
  const Ffn& ffn = model.layers.front().ffn;
  if (!is_uniform(model)) {
    mistakes.add(model.name, "its layers differ", "bench times a uniform stack");
  }
  if (ffn.num_experts == 0 || ffn.num_shared_experts > 0 || ffn.dense_width > 0) {
    mistakes.add(model.name, "its FFN is not routed experts alone",
                 "bench times routed experts without shared or dense ones");
  }
  if (ffn.matrices != 3) {
    mistakes.add(model.name, "its experts have no gate", "bench times gated experts");
  }
  const auto* attention = std::get_if<GroupedQueryAttention>(&model.layers.front().attention);
  if (attention == nullptr || !attention->own_keys_values || attention->output_gate ||
      model.layers.front().window.bounded() || !model.causal) {
    mistakes.add(model.name, "its attention is not plain causal grouped-query attention",
                 "bench times no other");
  }
  if (model.loop.inject_matrices > 0 || model.loop.adapter_rank > 0) {
    mistakes.add(model.name, "its loop has inject matrices or adapters",
                 "bench times a loop that repeats its layers as they are");
  }
  mistakes.throw_if_any();
}

/// Mean keys of causal attention over documents of `length`, the last one cut off by the tokens.
Rational packed_mean_keys(std::int64_t tokens, std::int64_t length) {
  const std::int64_t whole = tokens / length;
  const std::int64_t rest = tokens % length;
  return {(Count(whole) * length * (length + 1) + Count(rest) * (rest + 1)).value(),
          (Count(tokens) * 2).value()};
}

}  // namespace

LayerShape bench_shape(const Model& model, const BenchOptions& options) {
  check_layers(model);
  const Layer& layer = model.layers.front();
  LayerShape shape;
  shape.tokens = std::max<std::int64_t>(1, options.tokens / options.reduction);
  shape.hidden_size = model.hidden_size;
  const HeadGeometry heads = *head_geometry(layer.attention);
  shape.num_heads = heads.num_heads;
  shape.num_key_value_heads = heads.num_key_value_heads;
  shape.head_dim = heads.head_dim;
  // n = (document + 1) / 2
  const auto document = static_cast<std::int64_t>(2 * mean_keys(model, layer).to_double() - 0.5);
  shape.document = std::clamp<std::int64_t>(document, 1, shape.tokens);
  shape.top_k = layer.ffn.num_experts_per_tok;
  shape.num_experts = std::max(shape.top_k, layer.ffn.num_experts / options.reduction);
  shape.expert_width = layer.ffn.expert_width;
  return shape;
}

std::vector<Operator> step_operators(const LayerShape& shape,
                                     const std::vector<std::int64_t>& expert_rows,
                                     std::int64_t element_bytes) {
  const GroupedQueryAttention attention{shape.num_heads, shape.num_key_value_heads, shape.head_dim};
  const Ffn ffn{3, shape.num_experts, shape.top_k, shape.expert_width};
  Model model = uniform_stack(shape.hidden_size, 1, {attention, ffn, 0, 1, {}});
  model.attended_keys = packed_mean_keys(shape.tokens, shape.document);
  const std::vector<Operator> all =
      layer_operators(model, model.layers.front(),
                      {shape.tokens, ExecutionPhase::kTrain, element_bytes, expert_rows});
  std::vector<Operator> in_order;
  for (const Step& step : layer_steps()) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Operator& op) {
      return op.kind == step.kind && op.pass == step.pass;
    });
    assert(found != all.end());
    in_order.push_back(*found);
  }
  return in_order;
}

double ideal_seconds(const Operator& op, const Ceilings& ceilings) {
  const double bytes = op.bytes.to_double();
  double bytes_per_s = ceilings.bandwidth.front().bytes_per_s;
  for (const BandwidthPoint& point : ceilings.bandwidth) {
    if (static_cast<double>(point.footprint_bytes) <= bytes) bytes_per_s = point.bytes_per_s;
  }
  return std::max(op.flops.to_double() / ceilings.flops_per_s, bytes / bytes_per_s);
}

}  // namespace smelt
