#include "smelt/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/error.hpp"

namespace smelt {

std::int64_t effective_layers(const Model& model) {
  Count total;
  for (const Layer& layer : model.layers) total += layer.visits;
  return total.value();
}

std::vector<LoopSpan> loop_spans(const Model& model) {
  std::vector<LoopSpan> spans;
  std::int64_t previous = 1;
  for (std::int64_t index = 0; index < model.num_layers(); ++index) {
    const std::int64_t visits = model.layers[static_cast<std::size_t>(index)].visits;
    if (visits > 1 && visits == previous) {
      ++spans.back().length;
    } else if (visits > 1) {
      spans.push_back({index, 1, visits});
    }
    previous = visits;
  }
  return spans;
}

bool is_uniform(const Model& model) {
  const auto differs = [&](Layer layer) {
    layer.visits = model.layers.front().visits;
    return layer != model.layers.front();
  };
  return std::none_of(model.layers.begin(), model.layers.end(), differs);
}

void apply_loop(Model& model, const LoopSpan& span) {
  if (span.visits < 1) {
    throw InputError("/loop/visits", fmt::format("{} is too small", span.visits), "at least 1");
  }
  if (span.start < 0 || span.length < 1 || span.start > model.num_layers() ||
      span.length > model.num_layers() - span.start) {
    throw InputError(
        "/loop",
        fmt::format("a span of {} layers from layer {} leaves the stack", span.length, span.start),
        fmt::format("the stack has layers 0 to {}", model.num_layers() - 1));
  }
  for (std::int64_t i = 0; i < span.length; ++i) {
    model.layers[static_cast<std::size_t>(span.start + i)].visits = span.visits;
  }
}

namespace {

/// Visits of a layer whose keys and values stay in the cache.
std::int64_t cached_visits(const LoopOptions& loop, std::int64_t visits) {
  if (loop.kv == KvPolicy::kPerVisit) return visits;
  if (loop.kv == KvPolicy::kBudget) return std::min(loop.kv_visits, visits);
  return 1;
}

}  // namespace

std::int64_t norm_vectors(NormKind kind) {
  switch (kind) {
    case NormKind::kWeightAndBias:
      return 2;
    case NormKind::kWeightless:
      return 0;
    case NormKind::kWeight:
      break;
  }
  return 1;
}

LayerCounts layer_counts(const Model& model, const Layer& layer) {
  const std::int64_t limit = model.loop.backward_visits;
  SublayerCounts ffn;
  ffn.stored = 1;
  ffn.executed = layer.visits;
  ffn.backward = limit > 0 ? std::min(limit, layer.visits) : layer.visits;
  SublayerCounts attention = ffn;
  attention.cached = model.causal ? cached_visits(model.loop, layer.visits) : 0;
  return {attention, ffn};
}

Rational causal_mean_keys(std::int64_t document_length) {
  return {(Count(document_length) + 1).value(), 2};
}

Rational mean_keys(const Model& model, const Layer& layer) {
  if (model.documents) return mean_keys(*model.documents, layer.window, model.causal);
  if (model.attended_keys) {
    const Rational cap(layer.window.tokens);
    return layer.window.bounded() ? std::min(*model.attended_keys, cap) : *model.attended_keys;
  }
  if (model.sequence_length) {
    return mean_keys(ConstantDocuments{*model.sequence_length}, layer.window, model.causal);
  }
  throw InputError("/attended_keys", "the model names no attended keys",
                   "give --attended-keys N, --doc-len T or --seq-len S");
}

Model uniform_stack(std::int64_t hidden_size, std::int64_t num_layers, const Layer& layer,
                    const std::optional<LoopSpan>& loop) {
  Model model;
  model.hidden_size = hidden_size;
  model.layers.assign(static_cast<std::size_t>(num_layers), layer);
  if (loop) apply_loop(model, *loop);
  return model;
}

}  // namespace smelt
