#include "smelt/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "smelt/error.hpp"
#include "smelt/rational.hpp"

namespace smelt {

std::string_view component_name(Component component) {
  static constexpr std::array<std::string_view, kNumComponents> kNames = {
      "attention", "scores", "router",    "experts",    "shared_experts",
      "dense_ffn", "norms",  "embedding", "output_head"};
  return kNames[static_cast<std::size_t>(component)];
}

Count Breakdown::total() const { return std::accumulate(counts_.begin(), counts_.end(), Count{}); }

namespace {

/// Weights of one traversal of a layer, by component: `stored` holds E experts, `active` k of them.
struct LayerWeights {
  Breakdown stored;
  Breakdown active;
};

/// attention: H Q + 2 H W + Q H;  router: H E;  experts: E g H F (active: k g H F);
/// shared: n_s g H F_s;  dense: g H F_dense;  norms: H each.
LayerWeights layer_weights(const Layer& layer, Count hidden) {
  const Ffn& ffn = layer.ffn;
  LayerWeights weights;
  Breakdown& stored = weights.stored;
  stored[Component::kAttention] =
      hidden * (Count(2) * layer.attention.query_width() + Count(2) * layer.attention.kv_width());
  stored[Component::kRouter] = hidden * ffn.num_experts;
  const Count expert = hidden * ffn.matrices * ffn.expert_width;
  stored[Component::kExperts] = expert * ffn.num_experts;
  stored[Component::kSharedExperts] =
      hidden * ffn.matrices * ffn.shared_expert_width * ffn.num_shared_experts;
  stored[Component::kDenseFfn] = hidden * ffn.matrices * ffn.dense_width;
  stored[Component::kNorms] = hidden * layer.norms;
  weights.active = stored;
  weights.active[Component::kExperts] = expert * ffn.num_experts_per_tok;
  return weights;
}

void add_scaled(Breakdown& into, const Breakdown& counts, Count factor) {
  for (const Component component : kAllComponents) {
    into[component] += counts[component] * factor;
  }
}

/// Weights of all layers and the final norm; each layer `visits` times in `executed`.
struct StackWeights {
  Breakdown stored;
  Breakdown active;
  Breakdown executed;
};

StackWeights stack_weights(const Model& model) {
  StackWeights stack;
  for (const Layer& layer : model.layers) {
    const LayerWeights weights = layer_weights(layer, model.hidden_size);
    add_scaled(stack.stored, weights.stored, 1);
    add_scaled(stack.active, weights.active, 1);
    add_scaled(stack.executed, weights.active, layer.visits);
  }
  for (Breakdown* counts : {&stack.stored, &stack.active, &stack.executed}) {
    (*counts)[Component::kNorms] += model.hidden_size;
  }
  return stack;
}

/// A multiply-accumulate is two operations; the backward pass repeats each product twice (towards
/// the inputs and towards the weights).
constexpr std::int64_t kForwardFlopsPerMac = 2;
constexpr std::int64_t kTrainingPerForward = 3;

/// Forward FLOPs of the attention-score products: 4 Q n per executed layer (Q K^T and P V, 2 Q n
/// each), rounded to a whole number once for the stack.
Count score_forward_flops(const Model& model) {
  if (!model.attended_keys) {
    throw InputError("/attended_keys", "the model names no attended keys",
                     "give --attended-keys N, --doc-len T or --seq-len S");
  }
  Count query_width;
  for (const Layer& layer : model.layers) {
    query_width += Count(layer.attention.query_width()) * layer.visits;
  }
  return round_product(query_width * 2 * kForwardFlopsPerMac, *model.attended_keys);
}

}  // namespace

ParameterCounts count_parameters(const Model& model) {
  const StackWeights stack = stack_weights(model);
  ParameterCounts counts;
  counts.components = stack.stored;
  counts.non_embedding = stack.stored.total();
  counts.active = stack.active.total();
  counts.executed_active = stack.executed.total();
  const Count embedding = Count(model.vocab_size) * model.hidden_size;
  counts.components[Component::kEmbedding] = embedding;
  if (!model.tie_word_embeddings) counts.components[Component::kOutputHead] = embedding;
  counts.total = counts.components.total();
  counts.active_with_embeddings = counts.active + counts.total - counts.non_embedding;
  return counts;
}

const std::vector<Convention>& conventions() {
  static const std::vector<Convention> kConventions = {
      {"paper", "6 x executed active parameters (norms and router in, embeddings out) + 12 Q n",
       true, true, false},
      {"matmul", "6 x executed active matrix weights (no norms) + 12 Q n", false, true, false},
      {"6n", "6 x executed active parameters, no attention-score term", true, false, false},
      {"full", "matmul plus the output head, 6 V H", false, true, true},
  };
  return kConventions;
}

const Convention& convention_named(std::string_view name, std::string_view where) {
  std::vector<std::string> known;
  for (const Convention& convention : conventions()) {
    if (convention.name == name) return convention;
    known.push_back(convention.name);
  }
  throw InputError(std::string(where), fmt::format("unknown convention '{}'", name),
                   fmt::format("one of {}", fmt::join(known, ", ")));
}

FlopCounts count_flops(const Model& model, const Convention& convention) {
  Breakdown forward;
  for (Breakdown executed = stack_weights(model).executed; const Component c : kAllComponents) {
    if (c == Component::kNorms && !convention.vectors) continue;
    forward[c] = executed[c] * kForwardFlopsPerMac;
  }
  if (convention.scores) forward[Component::kScores] = score_forward_flops(model);
  if (convention.output_head) {
    if (model.vocab_size == 0) {
      throw InputError("/vocab_size", "the model names no vocabulary",
                       fmt::format("convention '{}' counts the output head", convention.name));
    }
    forward[Component::kOutputHead] =
        Count(model.vocab_size) * model.hidden_size * kForwardFlopsPerMac;
  }
  FlopCounts counts;
  add_scaled(counts.training_components, forward, kTrainingPerForward);
  counts.training_per_token = counts.training_components.total();
  counts.forward_per_token = forward.total();
  return counts;
}

Count kv_elements_per_token(const Model& model, KvPolicy policy) {
  Count elements;
  for (const Layer& layer : model.layers) {
    const Count slots = policy == KvPolicy::kPerVisit ? layer.visits : 1;
    elements += Count(2) * layer.attention.kv_width() * slots;
  }
  return elements;
}

KvDtype parse_kv_dtype(std::string_view text, std::string_view where) {
  for (const KvDtype dtype : {KvDtype::kBf16, KvDtype::kFp8, KvDtype::kFp32}) {
    if (kv_dtype_name(dtype) == text) return dtype;
  }
  throw InputError(std::string(where), fmt::format("unknown cache type '{}'", text),
                   "bf16, fp8 or fp32");
}

std::string_view kv_dtype_name(KvDtype dtype) {
  switch (dtype) {
    case KvDtype::kFp8:
      return "fp8";
    case KvDtype::kFp32:
      return "fp32";
    case KvDtype::kBf16:
      break;
  }
  return "bf16";
}

Count kv_bytes(Count elements, KvDtype dtype) {
  switch (dtype) {
    case KvDtype::kFp8:
      return elements;
    case KvDtype::kFp32:
      return elements * 4;
    case KvDtype::kBf16:
      break;
  }
  return elements * 2;
}

Model fully_active(const Model& model) {
  Model control = model;
  for (Layer& layer : control.layers) layer.ffn.num_experts = layer.ffn.num_experts_per_tok;
  return control;
}

double sparsity(Count training_flops, Count non_embedding_params, const SparsityControl& control) {
  const double equivalent = training_flops.to_double() /
                            control.training_flops_per_token.to_double() *
                            control.non_embedding_params.to_double();
  return 1 - equivalent / non_embedding_params.to_double();
}

Budget budget_of(const Model& model, const Convention& convention) {
  return {count_flops(model, convention).training_per_token, count_parameters(model).non_embedding,
          kv_elements_per_token(model)};
}

double Deviation::max_abs() const {
  return std::max({std::abs(flops), std::abs(params), std::abs(kv)});
}

Deviation deviation(const Budget& candidate, const Budget& baseline) {
  const auto relative = [](Count value, Count reference) {
    return (value - reference).to_double() / reference.to_double();
  };
  return {relative(candidate.training_flops_per_token, baseline.training_flops_per_token),
          relative(candidate.non_embedding_params, baseline.non_embedding_params),
          relative(candidate.kv_elements_per_token, baseline.kv_elements_per_token)};
}

}  // namespace smelt
