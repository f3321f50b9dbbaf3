#include "io/megatron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "smelt/error.hpp"
#include "smelt/export.hpp"
#include "smelt/json_value.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

namespace {

constexpr std::int64_t kMost = 1'000'000'000;

/// Arguments by name, in the order of the text; an argument without values is a switch.
using Arguments = std::map<std::string, std::vector<std::string>, std::less<>>;

constexpr std::array<std::string_view, 29> kKnown = {"num-layers",
                                                     "hidden-size",
                                                     "ffn-hidden-size",
                                                     "num-attention-heads",
                                                     "group-query-attention",
                                                     "num-query-groups",
                                                     "kv-channels",
                                                     "swiglu",
                                                     "disable-bias-linear",
                                                     "add-qkv-bias",
                                                     "normalization",
                                                     "qk-layernorm",
                                                     "num-experts",
                                                     "moe-router-topk",
                                                     "moe-ffn-hidden-size",
                                                     "moe-shared-expert-intermediate-size",
                                                     "moe-layer-freq",
                                                     "moe-router-enable-expert-bias",
                                                     "moe-shared-expert-gate",
                                                     "multi-latent-attention",
                                                     "q-lora-rank",
                                                     "kv-lora-rank",
                                                     "qk-head-dim",
                                                     "qk-pos-emb-head-dim",
                                                     "v-head-dim",
                                                     "untie-embeddings-and-output-weights",
                                                     "vocab-size",
                                                     "mtp-num-layers",
                                                     "seq-length"};

/// Words of arguments that shape the model; an unknown one with such a word may change the count.
constexpr std::array<std::string_view, 9> kShapeWords = {
    "expert", "hidden-size", "num-layers", "heads", "lora", "head-dim", "window", "mamba", "bias"};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool blank =
        c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\\' || c == '\'' || c == '"';
    if (!blank) word += c;
    if (blank && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

Arguments parse_arguments(std::string_view text) {
  Arguments arguments;
  std::vector<std::string>* values = nullptr;
  for (const std::string& word : words_of(text)) {
    if (word.rfind("--", 0) == 0) {
      const auto [entry, added] = arguments.try_emplace(word.substr(2));
      if (!added) throw InputError(word, "is given twice", "one of the two");
      values = &entry->second;
    } else if (values == nullptr) {
      throw InputError(printable(word), "is no argument", "--name value");
    } else {
      values->push_back(word);
    }
  }
  return arguments;
}

void reject_unknown(const Arguments& arguments) {
  for (const auto& [name, values] : arguments) {
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    const bool shapes = std::any_of(kShapeWords.begin(), kShapeWords.end(), [&](auto word) {
      return name.find(word) != std::string::npos;
    });
    if (shapes && name.find("loss") == std::string::npos) {
      throw InputError("--" + printable(name), "may change the count, but is not known",
                       "remove it where it does not");
    }
  }
}

class Reader {
 public:
  explicit Reader(Arguments arguments) : arguments_(std::move(arguments)) {}

  [[nodiscard]] bool has(std::string_view name) const { return arguments_.count(name) > 0; }

  [[nodiscard]] std::string text(std::string_view name) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end()) throw InputError(flag(name), "is missing", "give it");
    if (found->second.size() != 1) throw InputError(flag(name), "takes one value");
    return found->second.front();
  }

  [[nodiscard]] std::int64_t need(std::string_view name) const {
    return parse_count(text(name), flag(name), 1, kMost);
  }

  [[nodiscard]] std::int64_t count_or(std::string_view name, std::int64_t absent) const {
    return has(name) ? need(name) : absent;
  }

 private:
  static std::string flag(std::string_view name) { return "--" + std::string(name); }

  Arguments arguments_;
};

LatentAttention read_latent(const Reader& reader) {
  LatentAttention attention;
  attention.num_heads = reader.need("num-attention-heads");
  attention.q_lora_rank = reader.count_or("q-lora-rank", 0);
  attention.kv_lora_rank = reader.need("kv-lora-rank");
  attention.qk_nope_head_dim = reader.need("qk-head-dim");
  attention.qk_rope_head_dim = reader.need("qk-pos-emb-head-dim");
  attention.v_head_dim = reader.need("v-head-dim");
  attention.bias = !reader.has("disable-bias-linear");
  return attention;
}

GroupedQueryAttention read_grouped(const Reader& reader) {
  GroupedQueryAttention attention;
  attention.num_heads = reader.need("num-attention-heads");
  attention.num_key_value_heads =
      reader.has("group-query-attention") ? reader.need("num-query-groups") : attention.num_heads;
  const std::int64_t hidden = reader.need("hidden-size");
  if (!reader.has("kv-channels") && hidden % attention.num_heads != 0) {
    throw InputError("--kv-channels",
                     "is missing, and num-attention-heads does not divide "
                     "hidden-size",
                     "give it");
  }
  attention.head_dim = reader.count_or("kv-channels", hidden / attention.num_heads);
  const bool all = !reader.has("disable-bias-linear");
  const bool inputs = all || reader.has("add-qkv-bias");
  attention.bias = {inputs, inputs, inputs, all};
  if (reader.has("qk-layernorm")) attention.qk_norm = QkNorm::kPerHead;
  return attention;
}

std::int64_t matrices_of(const Reader& reader) { return reader.has("swiglu") ? 3 : 2; }

Ffn read_dense(const Reader& reader) {
  Ffn ffn;
  ffn.matrices = matrices_of(reader);
  ffn.dense_width = reader.count_or("ffn-hidden-size", 4 * reader.need("hidden-size"));
  ffn.bias = !reader.has("disable-bias-linear");
  return ffn;
}

Ffn read_routed(const Reader& reader) {
  Ffn ffn;
  ffn.matrices = matrices_of(reader);
  ffn.num_experts = reader.need("num-experts");
  ffn.num_experts_per_tok = reader.need("moe-router-topk");
  ffn.expert_width = reader.has("moe-ffn-hidden-size") ? reader.need("moe-ffn-hidden-size")
                                                       : reader.need("ffn-hidden-size");
  ffn.shared_expert_width = reader.count_or("moe-shared-expert-intermediate-size", 0);
  ffn.num_shared_experts = ffn.shared_expert_width > 0 ? 1 : 0;
  ffn.shared_expert_gate = reader.has("moe-shared-expert-gate");
  ffn.router_correction_bias = reader.has("moe-router-enable-expert-bias");
  ffn.expert_bias = !reader.has("disable-bias-linear");
  return ffn;
}

/// "([0]*3+[1]*58)": runs of dense (0) and routed (1) layers; or a number: every so many-th.
std::vector<bool> read_layer_freq(const Reader& reader, std::int64_t layers) {
  std::vector<bool> routed;
  const std::string text = reader.has("moe-layer-freq") ? reader.text("moe-layer-freq") : "1";
  if (text.find('[') == std::string::npos) {
    const std::int64_t every = parse_count(text, "--moe-layer-freq", 1, layers);
    for (std::int64_t i = 0; i < layers; ++i) routed.push_back(i % every == 0);
    return routed;
  }
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
    const std::size_t close = text.find(']', at);
    if (close != at + 2 || (text[at + 1] != '0' && text[at + 1] != '1')) {
      throw InputError("--moe-layer-freq", fmt::format("'{}' is no list of 0 and 1", text),
                       "as in ([0]*3+[1]*58)");
    }
    const std::size_t end = std::min(text.find_first_of("+)", close), text.size());
    const bool times = close + 1 < text.size() && text[close + 1] == '*';
    const std::int64_t run =
        times ? parse_count(text.substr(close + 2, end - close - 2), "--moe-layer-freq", 1, layers)
              : 1;
    routed.insert(routed.end(), static_cast<std::size_t>(run), text[at + 1] == '1');
  }
  if (static_cast<std::int64_t>(routed.size()) != layers) {
    throw InputError("--moe-layer-freq", fmt::format("names {} layers", routed.size()),
                     fmt::format("as many as --num-layers, {}", layers));
  }
  return routed;
}

Model read_arguments(const Reader& reader) {
  Model model;
  model.hidden_size = reader.need("hidden-size");
  const std::int64_t layers =
      parse_count(reader.text("num-layers"), "--num-layers", 1, kMostLayers);
  model.layers.resize(static_cast<std::size_t>(layers));
  const bool routes = reader.has("num-experts");
  const std::vector<bool> routed =
      routes ? read_layer_freq(reader, layers) : std::vector<bool>(model.layers.size(), false);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    Layer& layer = model.layers[i];
    layer.attention = reader.has("multi-latent-attention") ? Attention(read_latent(reader))
                                                           : Attention(read_grouped(reader));
    layer.ffn = routed[i] ? read_routed(reader) : read_dense(reader);
  }
  const bool rms = reader.has("normalization") && reader.text("normalization") == "RMSNorm";
  model.norm = rms ? NormKind::kWeight : NormKind::kWeightAndBias;
  model.vocab_size = reader.count_or("vocab-size", 0);
  model.tie_word_embeddings = !reader.has("untie-embeddings-and-output-weights");
  model.mtp_layers.assign(static_cast<std::size_t>(reader.count_or("mtp-num-layers", 0)),
                          model.layers.back());
  if (reader.has("seq-length")) model.sequence_length = reader.need("seq-length");
  validate(model);
  return model;
}

/// Writes arguments one a line.
class Writer {
 public:
  void flag(const char* name) { text_ += fmt::format("--{}\n", name); }
  void count(const char* name, std::int64_t value) {
    text_ += fmt::format("--{} {}\n", name, value);
  }
  void text(const char* name, const std::string& value) {
    text_ += fmt::format("--{} {}\n", name, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_attention(const Attention& attention, Writer& out) {
  if (const auto* latent = std::get_if<LatentAttention>(&attention)) {
    out.flag("multi-latent-attention");
    out.count("num-attention-heads", latent->num_heads);
    if (latent->q_lora_rank > 0) out.count("q-lora-rank", latent->q_lora_rank);
    out.count("kv-lora-rank", latent->kv_lora_rank);
    out.count("qk-head-dim", latent->qk_nope_head_dim);
    out.count("qk-pos-emb-head-dim", latent->qk_rope_head_dim);
    out.count("v-head-dim", latent->v_head_dim);
    if (!latent->bias) out.flag("disable-bias-linear");
    return;
  }
  const auto* grouped = std::get_if<GroupedQueryAttention>(&attention);
  if (grouped == nullptr) return;
  out.count("num-attention-heads", grouped->num_heads);
  if (grouped->num_key_value_heads != grouped->num_heads) {
    out.flag("group-query-attention");
    out.count("num-query-groups", grouped->num_key_value_heads);
  }
  out.count("kv-channels", grouped->head_dim);
  if (grouped->qk_norm == QkNorm::kPerHead) out.flag("qk-layernorm");
  if (!grouped->bias.output) out.flag("disable-bias-linear");
  if (!grouped->bias.output && grouped->bias.query) out.flag("add-qkv-bias");
}

std::string layer_freq(const Model& model) {
  std::string text;
  for (std::size_t first = 0; first < model.layers.size();) {
    const bool routed = model.layers[first].ffn.num_experts > 0;
    std::size_t end = first;
    while (end < model.layers.size() && (model.layers[end].ffn.num_experts > 0) == routed) ++end;
    text += fmt::format("{}[{}]*{}", text.empty() ? "(" : "+", routed ? 1 : 0, end - first);
    first = end;
  }
  return text + ")";
}

void write_ffn(const Model& model, Writer& out) {
  const Ffn* moe = nullptr;
  const Ffn* dense = nullptr;
  for (const Layer& layer : model.layers) {
    (layer.ffn.num_experts > 0 ? moe : dense) = &layer.ffn;
  }
  if ((moe != nullptr ? moe : dense)->matrices == 3) out.flag("swiglu");
  if (dense != nullptr) out.count("ffn-hidden-size", dense->dense_width);
  if (moe == nullptr) return;
  out.count("num-experts", moe->num_experts);
  out.count("moe-router-topk", moe->num_experts_per_tok);
  out.count("moe-ffn-hidden-size", moe->expert_width);
  if (moe->num_shared_experts > 0) {
    out.count("moe-shared-expert-intermediate-size",
              moe->num_shared_experts * moe->shared_expert_width);
  }
  if (moe->shared_expert_gate) out.flag("moe-shared-expert-gate");
  if (moe->router_correction_bias) out.flag("moe-router-enable-expert-bias");
  if (dense != nullptr) out.text("moe-layer-freq", layer_freq(model));
}

/// Several shared experts side by side are one of their common width.
Model as_megatron_counts(Model model) {
  for (std::vector<Layer>* layers : {&model.layers, &model.mtp_layers}) {
    for (Layer& layer : *layers) {
      Ffn& ffn = layer.ffn;
      ffn.shared_expert_width *= ffn.num_shared_experts;
      ffn.num_shared_experts = ffn.shared_expert_width > 0 ? 1 : 0;
    }
  }
  model.name.clear();
  model.attended_keys.reset();
  model.documents.reset();
  model.sequence_length.reset();
  return model;
}

[[noreturn]] void refuse(const Model& model) {
  std::string what = "Megatron-LM's arguments have no words for this combination of layers";
  if (!loop_spans(model).empty()) what = "Megatron-LM's arguments have no loop";
  throw InputError(model.name, what, "--to smelt keeps everything");
}

}  // namespace

Model import_megatron_arguments(std::string_view text) {
  Arguments arguments = parse_arguments(text);
  reject_unknown(arguments);
  return read_arguments(Reader(std::move(arguments)));
}

std::string megatron_arguments(const Model& model) {
  const Layer& first = model.layers.front();
  for (const Layer& layer : model.layers) {
    const bool linear = std::holds_alternative<GatedLinearAttention>(layer.attention);
    if (linear || !(layer.attention == first.attention)) refuse(model);
  }
  Writer out;
  out.count("num-layers", model.num_layers());
  out.count("hidden-size", model.hidden_size);
  write_attention(model.layers.front().attention, out);
  write_ffn(model, out);
  out.text("normalization", model.norm == NormKind::kWeight ? "RMSNorm" : "LayerNorm");
  if (model.vocab_size > 0) out.count("vocab-size", model.vocab_size);
  if (!model.tie_word_embeddings) out.flag("untie-embeddings-and-output-weights");
  if (!model.mtp_layers.empty()) {
    out.count("mtp-num-layers", static_cast<std::int64_t>(model.mtp_layers.size()));
  }
  std::string text = out.take();
  if (!(as_megatron_counts(import_megatron_arguments(text)) == as_megatron_counts(model))) {
    refuse(model);
  }
  return text;
}

}  // namespace smelt
