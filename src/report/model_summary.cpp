#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

/// A run of layers alike but for their visits.
struct LayerRun {
  std::int64_t first = 0;  // counted from 1
  std::int64_t last = 0;
  Layer layer;
};

constexpr std::size_t kMostRunsShown = 4;

std::vector<LayerRun> layer_runs(const Model& model) {
  std::vector<LayerRun> runs;
  for (std::int64_t i = 0; i < model.num_layers(); ++i) {
    Layer layer = model.layers[static_cast<std::size_t>(i)];
    layer.visits = 1;
    if (!runs.empty() && runs.back().layer == layer) {
      runs.back().last = i + 1;
    } else {
      runs.push_back({i + 1, i + 1, layer});
    }
  }
  return runs;
}

std::string ffn_text(const Ffn& ffn) {
  std::vector<std::string> parts;
  if (ffn.num_experts > 0) {
    parts.push_back(fmt::format("{} experts of width {}, {} per token", ffn.num_experts,
                                ffn.expert_width, ffn.num_experts_per_tok));
  }
  if (ffn.num_shared_experts > 0) {
    parts.push_back(
        fmt::format("{} shared of width {}", ffn.num_shared_experts, ffn.shared_expert_width));
  }
  if (ffn.dense_width > 0) parts.push_back(fmt::format("dense FFN of width {}", ffn.dense_width));
  return fmt::format("{} ({})", fmt::join(parts, " + "), ffn.matrices == 3 ? "gated" : "plain");
}

std::string attention_text(const GroupedQueryAttention& a) {
  return fmt::format("heads {}/{} of {}", a.num_heads, a.num_key_value_heads, a.head_dim);
}

std::string attention_text(const LatentAttention& a) {
  return fmt::format("{} latent heads of {}+{}/{}, rank {}", a.num_heads, a.qk_nope_head_dim,
                     a.qk_rope_head_dim, a.v_head_dim, a.kv_lora_rank);
}

std::string attention_text(const GatedLinearAttention& a) {
  return fmt::format("linear heads {} of {} and {} of {}", a.num_key_heads, a.key_head_dim,
                     a.num_value_heads, a.value_head_dim);
}

std::string layer_text(const Layer& layer) {
  std::string text = std::visit([](const auto& a) { return attention_text(a); }, layer.attention);
  if (layer.window.bounded()) text += fmt::format(", window {}", layer.window.tokens);
  return text + "; " + ffn_text(layer.ffn);
}

std::string stack_text(const Model& model) {
  std::string text =
      fmt::format("{}: H {}, {} layers", model.name, model.hidden_size, model.num_layers());
  if (!loop_spans(model).empty()) {
    text += fmt::format(", loop {} ({} executed)", loop_text(model), effective_layers(model));
  }
  if (model.vocab_size > 0) {
    text += fmt::format(", vocabulary {}{}", model.vocab_size,
                        model.tie_word_embeddings ? " (tied)" : "");
  }
  if (model.attended_keys)
    text += fmt::format(", {} attended keys", to_string(*model.attended_keys));
  return text;
}

}  // namespace

std::string loop_text(const Model& model) {
  std::vector<std::string> parts;
  for (const LoopSpan& span : loop_spans(model)) {
    parts.push_back(fmt::format("{}-{}x{}", span.start + 1, span.start + span.length, span.visits));
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> model_summary(const Model& model) {
  std::vector<std::string> lines = {stack_text(model)};
  const std::vector<LayerRun> runs = layer_runs(model);
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRunsShown); ++i) {
    const std::string text = layer_text(runs[i].layer);
    lines.push_back(runs.size() == 1
                        ? text
                        : fmt::format("layers {}-{}: {}", runs[i].first, runs[i].last, text));
  }
  if (runs.size() > kMostRunsShown) {
    lines.push_back(fmt::format("... and {} further runs of layers", runs.size() - kMostRunsShown));
  }
  return lines;
}

}  // namespace smelt
