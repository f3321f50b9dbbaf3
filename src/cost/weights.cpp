#include "weights.hpp"

#include <algorithm>

namespace smelt {

void Weights::add(const Weights& other, Count factor) {
  matrices.add(other.matrices, factor);
  vectors.add(other.vectors, factor);
  qk_norms += other.qk_norms * factor;
  final_norms += other.final_norms * factor;
}

Breakdown Weights::all() const {
  Breakdown sum = matrices;
  sum.add(vectors);
  return sum;
}

namespace {

/// `matrix` weights and `vector` weights of one component.
Weights component_weights(Component component, Count matrix, Count vector) {
  Weights weights;
  weights.matrices[component] = matrix;
  weights.vectors[component] = vector;
  return weights;
}

/// Layers alike that follow each other are counted once, times their number.
void add_layers(StackWeights& stack, const Model& model) {
  for (auto run = model.layers.begin(); run != model.layers.end();) {
    const Layer& layer = *run;
    const auto next =
        std::find_if(run, model.layers.end(), [&](const Layer& other) { return other != layer; });
    const Count alike = next - run;
    const LayerCounts counts = layer_counts(model, layer);
    const auto add = [&](const SublayerWeights& weights, const SublayerCounts& times) {
      stack.stored.add(weights.stored, alike * times.stored);
      stack.active.add(weights.active, alike * times.stored);
      stack.executed.add(weights.active, alike * times.executed);
      stack.backward.add(weights.active, alike * times.backward);
    };
    add(attention_weights(layer, model), counts.attention);
    add(ffn_weights(layer, model), counts.ffn);
    run = next;
  }
}

/// Every visit has its own adapters, and meets no other's.
void add_adapters(StackWeights& stack, const Model& model) {
  if (model.loop.adapter_rank == 0) return;
  for (const Layer& layer : model.layers) {
    if (layer.visits == 1) continue;
    const LayerCounts counts = layer_counts(model, layer);
    const Weights visit = component_weights(Component::kLoop, adapter_weights(layer, model), 0);
    for (Weights* weights : {&stack.stored, &stack.active, &stack.executed}) {
      weights->add(visit, layer.visits);
    }
    stack.backward.add(visit, counts.ffn.backward);
  }
}

/// One inject per span, met before each of its visits; a loop that runs once has it once.
void add_injects(StackWeights& stack, const Model& model) {
  const LoopOptions& loop = model.loop;
  if (loop.inject_matrices == 0 && loop.inject_vectors == 0) return;
  const Count hidden = model.hidden_size;
  const Weights inject =
      component_weights(Component::kLoop, Count(loop.inject_matrices) * hidden * hidden,
                        Count(loop.inject_vectors) * hidden);
  std::vector<LoopSpan> spans = loop_spans(model);
  if (spans.empty()) spans.push_back({});
  for (const LoopSpan& span : spans) {
    stack.stored.add(inject);
    stack.active.add(inject);
    stack.executed.add(inject, span.visits);
    stack.backward.add(inject, loop.backward_visits > 0
                                   ? std::min(loop.backward_visits, span.visits)
                                   : span.visits);
  }
}

/// E H and a bias where the tables are narrower than the stack, and the model's own extras.
void add_extras(StackWeights& stack, const Model& model) {
  const auto add = [&](Count matrix, Count vectors, Count visits) {
    const Weights weights = component_weights(Component::kExtras, matrix, vectors);
    stack.stored.add(weights);
    stack.active.add(weights);
    stack.executed.add(weights, visits);
    stack.backward.add(weights, visits);
  };
  const Count width = model.embedding.embedding_size;
  if (width > 0) add(width * model.hidden_size, model.hidden_size, 1);
  if (model.has_output_head && model.output_head_bias) add(0, model.vocab_size, 1);
  for (const NamedWeights& extra : model.extras) add(extra.matrix, extra.vectors, extra.visits);
}

void add_model_norms(StackWeights& stack, const Model& model) {
  const Count width =
      model.embedding.embedding_size > 0 ? model.embedding.embedding_size : model.hidden_size;
  Weights norms;
  norms.final_norms = Count(model.final_norms) * norm_vectors(model.norm) * model.hidden_size;
  norms.vectors[Component::kNorms] =
      norms.final_norms + Count(model.embedding.norms) * norm_vectors(model.norm) * width;
  for (Weights* weights : {&stack.stored, &stack.active, &stack.executed, &stack.backward}) {
    weights->add(norms);
  }
}

}  // namespace

StackWeights stack_weights(const Model& model) {
  StackWeights stack;
  add_layers(stack, model);
  add_adapters(stack, model);
  add_injects(stack, model);
  add_extras(stack, model);
  add_model_norms(stack, model);
  return stack;
}

Count embedding_weights(const Model& model) {
  const EmbeddingExtras& tables = model.embedding;
  const Count rows = Count(model.vocab_size) + tables.positions + tables.token_types;
  return rows * (tables.embedding_size > 0 ? tables.embedding_size : model.hidden_size);
}

Count output_head_weights(const Model& model) {
  return model.has_output_head ? Count(model.vocab_size) * model.hidden_size : Count(0);
}

}  // namespace smelt
