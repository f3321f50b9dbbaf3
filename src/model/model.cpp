#include "smelt/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

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

constexpr const char* kLoopForms =
    "write 1/2x2 (middle half, twice), 4-9x2 (layers 4 to 9) or none";

/// m = fraction x L layers with floor((L - m) / 2) before them.
LoopSpan middle_span(std::string_view text, std::size_t slash, std::int64_t num_layers,
                     std::string_view where) {
  const std::int64_t num = parse_count(text.substr(0, slash), where, 1);
  const std::int64_t den = parse_count(text.substr(slash + 1), where, 1);
  const Rational length = Rational(num, den) * Rational(num_layers);
  if (!length.is_integer() || num > den) {
    throw InputError(std::string(where),
                     fmt::format("{} of {} layers is no whole number of them", text, num_layers),
                     "name the layers instead, as in 4-9x2");
  }
  return {(num_layers - length.num()) / 2, length.num(), 1};
}

/// Layers first to last, counted from 1.
LoopSpan named_span(std::string_view text, std::size_t dash, std::int64_t num_layers,
                    std::string_view where) {
  const std::int64_t first = parse_count(text.substr(0, dash), where, 1);
  const std::int64_t last = parse_count(text.substr(dash + 1), where, 1);
  if (first > last || last > num_layers) {
    throw InputError(std::string(where), fmt::format("layers {} leave the stack", text),
                     fmt::format("first to last within 1 to {}", num_layers));
  }
  return {first - 1, last - first + 1, 1};
}

}  // namespace

std::optional<LoopSpan> parse_loop(std::string_view text, std::int64_t num_layers,
                                   std::string_view where) {
  if (text == "none") return std::nullopt;
  const std::size_t times = text.rfind('x');
  const std::string_view span_text = text.substr(0, times);
  const std::size_t slash = span_text.find('/');
  const std::size_t dash = span_text.find('-');
  if (times == std::string_view::npos || (slash == std::string_view::npos && dash == 0) ||
      (slash == std::string_view::npos && dash == std::string_view::npos)) {
    throw InputError(std::string(where), fmt::format("'{}' is no loop", text), kLoopForms);
  }
  LoopSpan span = slash != std::string_view::npos ? middle_span(span_text, slash, num_layers, where)
                                                  : named_span(span_text, dash, num_layers, where);
  span.visits = parse_count(text.substr(times + 1), where, 1, kMostVisits);
  return span;
}

Rational causal_mean_keys(std::int64_t document_length) {
  return {(Count(document_length) + 1).value(), 2};
}

Model uniform_stack(std::int64_t hidden_size, std::int64_t num_layers, const Layer& layer,
                    const std::optional<LoopSpan>& loop) {
  Model model;
  model.hidden_size = hidden_size;
  model.layers.assign(static_cast<std::size_t>(num_layers), layer);
  if (loop) apply_loop(model, *loop);
  return model;
}

namespace {

void check_attention(const Attention& attention, Mistakes& mistakes) {
  const auto positive = [&](std::int64_t value, const char* key) {
    if (value < 1) mistakes.add(key, fmt::format("{} is too small", value), "at least 1");
    return value >= 1;
  };
  const bool heads = positive(attention.num_heads, "/num_attention_heads");
  const bool kv_heads = positive(attention.num_key_value_heads, "/num_key_value_heads");
  positive(attention.head_dim, "/head_dim");
  if (heads && kv_heads && attention.num_heads % attention.num_key_value_heads != 0) {
    mistakes.add("/num_key_value_heads",
                 fmt::format("{} does not divide the {} query heads", attention.num_key_value_heads,
                             attention.num_heads),
                 "a divisor of num_attention_heads");
  }
}

void check_ffn(const Ffn& ffn, Mistakes& mistakes) {
  if (ffn.matrices != 2 && ffn.matrices != 3) {
    mistakes.add("/ffn_matrices", fmt::format("{} matrices", ffn.matrices),
                 "3 gated (SwiGLU, GeGLU) or 2 plain");
  }
  if (ffn.num_experts > 0 && ffn.expert_width < 1) {
    mistakes.add("/moe_intermediate_size", fmt::format("{} is too small", ffn.expert_width),
                 "at least 1 where there are experts");
  }
  if (ffn.num_experts > 0 && ffn.num_experts_per_tok < 1) {
    mistakes.add("/num_experts_per_tok", fmt::format("{} is too small", ffn.num_experts_per_tok),
                 "at least 1 where there are experts");
  }
  if (ffn.num_experts_per_tok > ffn.num_experts) {
    mistakes.add("/num_experts_per_tok",
                 fmt::format("{} experts per token, but {} are stored", ffn.num_experts_per_tok,
                             ffn.num_experts),
                 "at most num_experts");
  }
  if (ffn.num_shared_experts > 0 && ffn.shared_expert_width < 1) {
    mistakes.add("/shared_expert_intermediate_size",
                 fmt::format("{} is too small", ffn.shared_expert_width),
                 "at least 1 where there are shared experts");
  }
  if (ffn.num_experts == 0 && ffn.num_shared_experts == 0 && ffn.dense_width == 0) {
    mistakes.add("/num_experts", "the feed-forward sublayer is empty",
                 "give num_experts and moe_intermediate_size, or intermediate_size");
  }
}

}  // namespace

void validate(const Model& model) {
  Mistakes mistakes;
  if (model.hidden_size < 1) {
    mistakes.add("/hidden_size", fmt::format("{} is too small", model.hidden_size), "at least 1");
  }
  if (model.layers.empty()) mistakes.add("/num_hidden_layers", "0 is too small", "at least 1");
  for (std::size_t i = 0; i < model.layers.size() && mistakes.empty(); ++i) {
    check_attention(model.layers[i].attention, mistakes);
    check_ffn(model.layers[i].ffn, mistakes);
  }
  if (model.attended_keys && *model.attended_keys <= Rational(0)) {
    mistakes.add("/attended_keys", to_string(*model.attended_keys) + " is too small", "above 0");
  }
  mistakes.throw_if_any();
}

}  // namespace smelt
