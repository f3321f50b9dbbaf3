#include "smelt/flops.hpp"

#include <fmt/format.h>

#include <map>

#include "smelt/error.hpp"
#include "smelt/rational.hpp"
#include "weights.hpp"

namespace smelt {

namespace {

/// A multiply-accumulate is two operations; the backward pass repeats each product twice, towards
/// the inputs and towards the weights.
constexpr std::int64_t kForwardFlopsPerMac = 2;
constexpr std::int64_t kBackwardPerForward = 2;

Rational sequence_length(const Model& model, const Convention& convention) {
  if (model.sequence_length) return *model.sequence_length;
  throw InputError(
      "/sequence_length", "the model states no sequence length",
      fmt::format("convention '{}' is written in it: give --seq-len S", convention.name));
}

/// sum(s^2) / sum(s): twice the causal mean less one.
Rational packed_keys(const Model& model, const AttentionWindow& window,
                     const Convention& convention) {
  const Rational whole =
      model.documents ? mean_keys(*model.documents, {}, false) : sequence_length(model, convention);
  return window.bounded() ? std::min(whole, Rational(window.tokens)) : whole;
}

/// S / 2, or w - w^2 / (2 S) within a window narrower than S.
Rational half_window_keys(const Rational& length, const AttentionWindow& window) {
  const Rational width(window.tokens);
  if (!window.bounded() || width >= length) return length / Rational(2);
  return width - width * width / (length * Rational(2));
}

Rational keys_of(const Model& model, const Layer& layer, const Convention& convention) {
  const auto length = [&] { return sequence_length(model, convention); };
  switch (convention.keys) {
    case KeyRule::kNone:
      return 0;
    case KeyRule::kDocument:
      return mean_keys(model, layer);
    case KeyRule::kFull:
      return length();
    case KeyRule::kHalf:
      return length() / Rational(2);
    case KeyRule::kExact:
      return mean_keys(ConstantDocuments{length().num()}, layer.window, model.causal);
    case KeyRule::kWindowed:
      return layer.window.bounded() ? std::min(length(), Rational(layer.window.tokens)) : length();
    case KeyRule::kHalfWindow:
      return half_window_keys(length(), layer.window);
    case KeyRule::kPacked:
      return packed_keys(model, layer.window, convention);
  }
  return 0;
}

/// FLOPs of one pass over the layers: how often each pass of a token is made in training.
struct Passes {
  Count forward;
  Count training;
};

Passes passes_of(Count executed, Count backward, bool recomputed) {
  return {executed, executed + backward * kBackwardPerForward + (recomputed ? backward : Count(0))};
}

/// Scores: Q K^T and P V, 2 FLOPs per element of either and key, and 3 per head and key for the
/// softmax where the convention counts it. Rounded once for all layers of equal keys.
/// Linear attention: the state is read for the key, updated, and read for the query, 2 d_k d_v each
/// per value head, whatever the context.
struct ScoreFlops {
  Passes operator()(const Model& model, const Convention& convention) const {
    std::map<Rational, Passes> by_keys;
    const bool recomputed = convention.recompute != Recompute::kNone;
    for (const Layer& layer : model.layers) {
      const SublayerCounts counts = layer_counts(model, layer).attention;
      const Passes passes = passes_of(counts.executed, counts.backward, recomputed);
      add(by_keys[1], passes, state_flops(layer.attention));
      const Count per_key = flops_per_key(layer.attention, convention.softmax);
      if (per_key == Count(0)) continue;
      add(by_keys[keys_of(model, layer, convention)], passes, per_key);
    }
    Passes total;
    for (const auto& [keys, flops] : by_keys) {
      total.forward += round_product(flops.forward, keys);
      total.training += round_product(flops.training, keys);
    }
    return total;
  }

 private:
  static void add(Passes& into, const Passes& passes, Count flops) {
    into.forward += passes.forward * flops;
    into.training += passes.training * flops;
  }

  static Count state_flops(const Attention& attention) {
    const auto* linear = std::get_if<GatedLinearAttention>(&attention);
    if (linear == nullptr) return 0;
    return Count(3) * kForwardFlopsPerMac * linear->value_width() * linear->key_head_dim;
  }

  static Count flops_per_key(const Attention& attention, bool softmax) {
    Count flops = Count(kForwardFlopsPerMac) * score_width(attention);
    if (const auto* grouped = std::get_if<GroupedQueryAttention>(&attention);
        softmax && grouped != nullptr) {
      flops += Count(3) * grouped->num_heads;
    }
    if (const auto* latent = std::get_if<LatentAttention>(&attention);
        softmax && latent != nullptr) {
      flops += Count(3) * latent->num_heads;
    }
    return flops;
  }
};

/// The weights that the convention charges, by component.
Breakdown charged(const Weights& weights, const Convention& convention) {
  Breakdown counts = weights.matrices;
  const Breakdown& vectors = weights.vectors;
  if (convention.vectors != VectorRule::kNone) counts.add(vectors);
  if (convention.vectors == VectorRule::kLayers) {
    counts[Component::kNorms] -= weights.final_norms;
  }
  if (convention.vectors == VectorRule::kQkAndFinal) {
    counts[Component::kNorms] = weights.final_norms;
  }
  if (!convention.router) counts[Component::kRouter] = 0;
  return counts;
}

/// Embedding tables and output head, each met once per token.
Breakdown charged_tables(const Model& model, const Convention& convention) {
  if (convention.output_head && model.has_output_head && model.vocab_size == 0) {
    throw InputError("/vocab_size", "the model names no vocabulary",
                     fmt::format("convention '{}' counts the output head", convention.name));
  }
  const bool total = convention.weights == WeightRule::kTotal;
  Breakdown tables;
  if (convention.input_embedding) tables[Component::kEmbedding] = embedding_weights(model);
  if (convention.output_head) {
    Count head = output_head_weights(model);
    // A tied head is the embedding table once more: stored and used, but one set of parameters.
    if (model.tie_word_embeddings && convention.input_embedding) head = 0;
    if (total && model.tie_word_embeddings && !convention.input_embedding) head = 0;
    const std::int64_t modules =
        convention.mtp_heads ? static_cast<std::int64_t>(model.mtp_layers.size()) : 0;
    tables[Component::kOutputHead] = head * (Count(1) + modules);
  }
  return tables;
}

struct ChargedWeights {
  Breakdown executed;
  Breakdown backward;
};

ChargedWeights charged_weights(const Model& model, const Convention& convention) {
  const StackWeights stack = stack_weights(model);
  switch (convention.weights) {
    case WeightRule::kActive:
      return {charged(stack.active, convention), charged(stack.active, convention)};
    case WeightRule::kTotal:
      return {charged(stack.stored, convention), charged(stack.stored, convention)};
    case WeightRule::kExecuted:
      break;
  }
  return {charged(stack.executed, convention), charged(stack.backward, convention)};
}

FlopCounts count_as_stated(const Model& model, const Convention& convention) {
  ChargedWeights weights = charged_weights(model, convention);
  const Breakdown tables = charged_tables(model, convention);
  weights.executed.add(tables);
  weights.backward.add(tables);
  FlopCounts counts;
  Breakdown forward;
  const bool recomputed = convention.recompute == Recompute::kFull;
  for (const Component component : kAllComponents) {
    const Passes passes =
        passes_of(weights.executed[component], weights.backward[component], recomputed);
    forward[component] = passes.forward * kForwardFlopsPerMac;
    counts.training_components[component] = passes.training * kForwardFlopsPerMac;
  }
  if (convention.keys != KeyRule::kNone) {
    const Passes scores = ScoreFlops{}(model, convention);
    forward[Component::kScores] = scores.forward;
    counts.training_components[Component::kScores] = scores.training;
  }
  counts.training_per_token = counts.training_components.total();
  counts.forward_per_token = forward.total();
  return counts;
}

}  // namespace

FlopCounts count_flops(const Model& model, const Convention& convention) {
  if (convention.backward_visits == 0) return count_as_stated(model, convention);
  Model truncated = model;
  truncated.loop.backward_visits = convention.backward_visits;
  return count_as_stated(truncated, convention);
}

std::vector<SwitchEffect> explain_gap(const Model& model, const Convention& from,
                                      const Convention& to) {
  std::vector<SwitchEffect> effects;
  Convention step = from;
  Count flops = count_flops(model, from).training_per_token;
  const auto targets = switches(to);
  const auto origins = switches(from);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto& [name, value] = targets[i];
    if (value == origins[i].second) continue;
    set_switch(step, name, value, name);
    const Count after = count_flops(model, step).training_per_token;
    effects.push_back({name, origins[i].second, value, after - flops});
    flops = after;
  }
  return effects;
}

}  // namespace smelt
