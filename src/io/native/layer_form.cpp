#include "io/native/layer_form.hpp"

#include <algorithm>

#include "io/native/attention_form.hpp"
#include "smelt/model_file.hpp"

namespace smelt::native {

namespace {

constexpr std::int64_t kMostNorms = 1000;

void read_experts(ObjectReader& file, Ffn& ffn) {
  file.require({"num_experts", "num_experts_per_tok", "moe_intermediate_size"});
  const auto stored = file.count("num_experts", 1, kLargestSize);
  const auto chosen = file.count("num_experts_per_tok", 1, kLargestSize);
  const auto width = file.count("moe_intermediate_size", 1, kLargestSize);
  ffn.num_experts = stored.value_or(chosen.value_or(1));
  ffn.num_experts_per_tok = chosen.value_or(1);
  ffn.expert_width = width.value_or(1);
  if (file.has("intermediate_size")) {
    file.fault("intermediate_size", "names a dense FFN, but the model has experts",
               "moe_intermediate_size alone");
  }
  ffn.dense_width = file.count("parallel_intermediate_size", 1, kLargestSize).value_or(0);
  ffn.expert_bias = file.flag("expert_bias").value_or(false);
  ffn.router_bias = file.flag("router_bias").value_or(false);
  ffn.router_correction_bias = file.flag("router_correction_bias").value_or(false);
}

void read_shared_experts(ObjectReader& file, Ffn& ffn) {
  if (file.has("shared_expert_intermediate_size")) file.require({"num_shared_experts"});
  ffn.num_shared_experts = file.count("num_shared_experts", 0, kLargestSize).value_or(0);
  const auto width = file.count("shared_expert_intermediate_size", 1, kLargestSize);
  if (ffn.num_shared_experts > 0) ffn.shared_expert_width = width.value_or(ffn.expert_width);
  ffn.shared_expert_gate = file.flag("shared_expert_gate").value_or(false);
}

void read_dense_ffn(ObjectReader& file, Ffn& ffn) {
  if (!file.has("intermediate_size")) {
    file.fault({}, "no feed-forward width is given",
               "num_experts, num_experts_per_tok and moe_intermediate_size, or intermediate_size");
  }
  ffn.dense_width = file.count("intermediate_size", 1, kLargestSize).value_or(1);
  for (const char* key :
       {"num_shared_experts", "shared_expert_intermediate_size", "parallel_intermediate_size",
        "expert_bias", "router_bias", "router_correction_bias", "shared_expert_gate"}) {
    if (file.value(key) != nullptr)
      file.fault(key, "stands without num_experts", "a model with experts");
  }
}

Ffn read_ffn(ObjectReader& file) {
  Ffn ffn;
  for (const char* key :
       {"num_experts", "num_experts_per_tok", "moe_intermediate_size", "intermediate_size",
        "num_shared_experts", "shared_expert_intermediate_size"}) {
    file.value(key);
  }
  ffn.matrices = file.count("ffn_matrices", 2, 3).value_or(3);
  ffn.bias = file.flag("mlp_bias").value_or(false);
  const bool routed = file.has("num_experts") || file.has("num_experts_per_tok") ||
                      file.has("moe_intermediate_size");
  if (routed) {
    read_experts(file, ffn);
    read_shared_experts(file, ffn);
  } else {
    read_dense_ffn(file, ffn);
  }
  return ffn;
}

/// sliding_window or attention_chunk_size, or neither.
AttentionWindow read_window(ObjectReader& file) {
  const auto sliding = file.count("sliding_window", 1, kLargestSize);
  const auto chunk = file.count("attention_chunk_size", 1, kLargestSize);
  if (sliding && chunk) {
    file.fault("attention_chunk_size", "stands beside sliding_window", "one of the two");
  }
  if (sliding) return {AttentionWindow::Kind::kSliding, *sliding};
  if (chunk) return {AttentionWindow::Kind::kChunked, *chunk};
  return {};
}

}  // namespace

Layer read_layer(ObjectReader& file, std::optional<std::int64_t> hidden_size) {
  Layer layer;
  layer.attention = read_attention(file, hidden_size);
  layer.ffn = read_ffn(file);
  layer.norms = file.count("norms_per_layer", 0, kMostNorms).value_or(2);
  layer.window = read_window(file);
  return layer;
}

std::vector<Layer> read_layer_list(ObjectReader& file, std::string_view key,
                                   std::optional<std::int64_t> hidden_size) {
  std::vector<Layer> layers;
  const JsonValue::Array* runs = file.array(key);
  for (std::size_t i = 0; runs != nullptr && i < runs->size(); ++i) {
    ObjectReader run = file.item(key, i);
    run.require({"count"});
    const auto count = run.count("count", 1, kMostLayers);
    const Layer layer = read_layer(run, hidden_size);
    run.reject_unknown_keys();
    layers.insert(layers.end(), static_cast<std::size_t>(count.value_or(1)), layer);
    if (static_cast<std::int64_t>(layers.size()) > kMostLayers) {
      file.fault(key, "lists too many layers", "at most 100,000");
      layers.resize(1);
      break;
    }
  }
  return layers;
}

namespace {

void write_ffn(const Ffn& ffn, ObjectWriter& out) {
  if (ffn.num_experts > 0) {
    out.count("num_experts", ffn.num_experts);
    out.count("num_experts_per_tok", ffn.num_experts_per_tok);
    out.count("moe_intermediate_size", ffn.expert_width);
  }
  if (ffn.num_shared_experts > 0) {
    out.count("num_shared_experts", ffn.num_shared_experts);
    out.count("shared_expert_intermediate_size", ffn.shared_expert_width);
  }
  if (ffn.dense_width > 0) {
    out.count(ffn.num_experts > 0 ? "parallel_intermediate_size" : "intermediate_size",
              ffn.dense_width);
  }
  if (ffn.matrices != 3) out.count("ffn_matrices", ffn.matrices);
  const auto flag = [&](const char* key, bool value) {
    if (value) out.add(key, JsonValue::boolean(true));
  };
  flag("mlp_bias", ffn.bias);
  flag("expert_bias", ffn.expert_bias);
  flag("router_bias", ffn.router_bias);
  flag("router_correction_bias", ffn.router_correction_bias);
  flag("shared_expert_gate", ffn.shared_expert_gate);
}

bool alike_but_for_visits(Layer a, const Layer& b) {
  a.visits = b.visits;
  return a == b;
}

}  // namespace

void write_layer(const Layer& layer, ObjectWriter& out) {
  write_attention(layer.attention, out);
  write_ffn(layer.ffn, out);
  if (layer.norms != 2) out.count("norms_per_layer", layer.norms);
  if (layer.window.kind == AttentionWindow::Kind::kSliding) {
    out.count("sliding_window", layer.window.tokens);
  }
  if (layer.window.kind == AttentionWindow::Kind::kChunked) {
    out.count("attention_chunk_size", layer.window.tokens);
  }
}

JsonValue layer_list_json(const std::vector<Layer>& layers) {
  JsonValue::Array runs;
  for (std::size_t first = 0; first < layers.size();) {
    const auto differs = [&](const Layer& layer) {
      return !alike_but_for_visits(layer, layers[first]);
    };
    const auto from = layers.begin() + static_cast<std::ptrdiff_t>(first);
    const std::int64_t count = std::find_if(from, layers.end(), differs) - from;
    ObjectWriter run;
    run.count("count", count);
    write_layer(layers[first], run);
    runs.push_back(run.take());
    first += static_cast<std::size_t>(count);
  }
  return JsonValue::array(std::move(runs));
}

}  // namespace smelt::native
