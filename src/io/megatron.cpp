#include "io/megatron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "io/unlabelled.hpp"
#include "smelt/error.hpp"
#include "smelt/export.hpp"
#include "smelt/json_value.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

namespace {

constexpr std::int64_t kMost = 1'000'000'000;

/// Arguments by name, in the order of the text; an argument without values is a switch.
using Arguments = std::map<std::string, std::vector<std::string>, std::less<>>;

constexpr std::array<std::string_view, 32> kKnown = {"num-layers",
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
                                                     "seq-length",
                                                     "position-embedding-type",
                                                     "use-rotary-position-embeddings",
                                                     "max-position-embeddings"};

/// Words of arguments that shape the model; an unknown one with such a word may change the count.
constexpr std::array<std::string_view, 14> kShapeWords = {
    "expert", "hidden-size", "num-layers", "heads",  "lora",   "head-dim",     "window",
    "mamba",  "bias",        "gate",       "hybrid", "linear", "softmax-type", "heterogeneous"};

/// Words of arguments that steer training, routing or parallelism and store nothing.
constexpr std::array<std::string_view, 12> kHarmlessWords = {
    "loss",        "parallel", "capacity", "recompute", "pipeline", "fusion",
    "update-rate", "dropout",  "overlap",  "bf16",      "fp8",      "offload"};

/// The assignment that opens an array of arguments in a shell script: MODEL_ARGS=( or MODEL_ARGS=.
bool opens_array(std::string_view word) {
  if (!word.empty() && word.back() == '(') word.remove_suffix(1);
  if (word.size() < 2 || word.back() != '=') return false;
  word.remove_suffix(1);
  return std::all_of(word.begin(), word.end(), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

/// Words apart from blanks, quotes, line ends and comments; the frame of a shell array is left out.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && word != ")" && !opens_array(word)) words.push_back(word);
    word.clear();
  };
  bool comment = false;
  for (const char c : text) {
    if (c == '#' && word.empty()) comment = true;
    if (c == '\n') comment = false;
    if (comment) continue;
    if (std::string_view(" \n\t\r\\'\"").find(c) == std::string_view::npos) {
      word += c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

Arguments parse_arguments(std::string_view text) {
  Arguments arguments;
  std::vector<std::string>* values = nullptr;
  for (const std::string& word : words_of(text)) {
    if (word.rfind("--", 0) == 0) {
      const std::size_t equals = std::min(word.find('='), word.size());
      const auto [entry, added] = arguments.try_emplace(word.substr(2, equals - 2));
      if (!added) throw InputError(printable(word), "is given twice", "one of the two");
      values = &entry->second;
      if (equals < word.size()) values->push_back(word.substr(equals + 1));
    } else if (values == nullptr) {
      throw InputError(printable(word), "is no argument", "--name value");
    } else {
      values->push_back(word);
    }
  }
  return arguments;
}

bool may_change_count(std::string_view name) {
  const auto holds = [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  };
  return std::any_of(kShapeWords.begin(), kShapeWords.end(), holds) &&
         std::none_of(kHarmlessWords.begin(), kHarmlessWords.end(), holds);
}

void reject_unknown(const Arguments& arguments) {
  for (const auto& argument : arguments) {
    const std::string& name = argument.first;
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    if (!may_change_count(name)) continue;
    const std::string hint = did_you_mean(name, {kKnown.begin(), kKnown.end()});
    throw InputError("--" + printable(name), "may change the count, but is not known",
                     hint.empty() ? "remove it where it does not" : hint);
  }
}

class Reader {
 public:
  explicit Reader(Arguments arguments) : arguments_(std::move(arguments)) {}

  [[nodiscard]] bool has(std::string_view name) const { return arguments_.contains(name); }

  /// A switch, which takes no value.
  [[nodiscard]] bool flag_given(std::string_view name) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end()) return false;
    if (!found->second.empty()) {
      throw InputError(flag(name), printable(found->second.front()) + " stands behind a switch",
                       "a switch takes no value");
    }
    return true;
  }

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
  if (!reader.flag_given("qk-layernorm")) {
    throw InputError("--qk-layernorm", "is missing", "latent attention is known with its norms");
  }
  LatentAttention attention;
  attention.num_heads = reader.need("num-attention-heads");
  attention.q_lora_rank = reader.count_or("q-lora-rank", 0);
  attention.kv_lora_rank = reader.need("kv-lora-rank");
  attention.qk_nope_head_dim = reader.need("qk-head-dim");
  attention.qk_rope_head_dim = reader.need("qk-pos-emb-head-dim");
  attention.v_head_dim = reader.need("v-head-dim");
  attention.bias = !reader.flag_given("disable-bias-linear");
  return attention;
}

GroupedQueryAttention read_grouped(const Reader& reader) {
  GroupedQueryAttention attention;
  attention.num_heads = reader.need("num-attention-heads");
  const bool grouped = reader.flag_given("group-query-attention");
  if (!grouped && reader.has("num-query-groups")) {
    throw InputError("--num-query-groups", "has no effect without --group-query-attention",
                     "both or neither");
  }
  attention.num_key_value_heads = grouped ? reader.need("num-query-groups") : attention.num_heads;
  const std::int64_t hidden = reader.need("hidden-size");
  if (!reader.has("kv-channels") && hidden % attention.num_heads != 0) {
    throw InputError("--kv-channels",
                     "is missing, and num-attention-heads does not divide "
                     "hidden-size",
                     "give it");
  }
  attention.head_dim = reader.count_or("kv-channels", hidden / attention.num_heads);
  const bool all = !reader.flag_given("disable-bias-linear");
  const bool inputs = all || reader.flag_given("add-qkv-bias");
  attention.bias = {inputs, inputs, inputs, all};
  if (reader.flag_given("qk-layernorm")) attention.qk_norm = QkNorm::kPerHead;
  return attention;
}

std::int64_t matrices_of(const Reader& reader) { return reader.flag_given("swiglu") ? 3 : 2; }

/// Megatron-LM's own default: 4 H, and a gated FFN of about the same weights in multiples of 64.
std::int64_t ffn_width(const Reader& reader) {
  const std::int64_t hidden = reader.need("hidden-size");
  const std::int64_t gated = 4 * hidden * 2 / 3 / 64 * 64;
  return reader.count_or("ffn-hidden-size", reader.flag_given("swiglu") ? gated : 4 * hidden);
}

Ffn read_dense(const Reader& reader) {
  Ffn ffn;
  ffn.matrices = matrices_of(reader);
  ffn.dense_width = ffn_width(reader);
  ffn.bias = !reader.flag_given("disable-bias-linear");
  return ffn;
}

Ffn read_routed(const Reader& reader) {
  Ffn ffn;
  ffn.matrices = matrices_of(reader);
  ffn.num_experts = reader.need("num-experts");
  ffn.num_experts_per_tok = reader.need("moe-router-topk");
  ffn.expert_width =
      reader.has("moe-ffn-hidden-size") ? reader.need("moe-ffn-hidden-size") : ffn_width(reader);
  ffn.shared_expert_width = reader.count_or("moe-shared-expert-intermediate-size", 0);
  ffn.num_shared_experts = ffn.shared_expert_width > 0 ? 1 : 0;
  ffn.shared_expert_gate = reader.flag_given("moe-shared-expert-gate");
  ffn.router_correction_bias = reader.flag_given("moe-router-enable-expert-bias");
  ffn.expert_bias = !reader.flag_given("disable-bias-linear");
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

NormKind read_norm(const Reader& reader) {
  const std::string name = reader.has("normalization") ? reader.text("normalization") : "LayerNorm";
  if (name == "RMSNorm") return NormKind::kWeight;
  if (name == "LayerNorm") return NormKind::kWeightAndBias;
  throw InputError("--normalization", fmt::format("unknown '{}'", printable(name)),
                   "LayerNorm or RMSNorm");
}

/// Rows of the learned position table: Megatron-LM's default where nothing else is asked for.
std::int64_t read_positions(const Reader& reader) {
  const bool rotary = reader.flag_given("use-rotary-position-embeddings");
  const std::string type = reader.has("position-embedding-type")
                               ? reader.text("position-embedding-type")
                               : (rotary ? "rope" : "learned_absolute");
  if (type == "learned_absolute") return reader.need("max-position-embeddings");
  for (const char* stores_nothing : {"rope", "mrope", "yarn", "none"}) {
    if (type == stores_nothing) return 0;
  }
  throw InputError("--position-embedding-type", fmt::format("unknown '{}'", printable(type)),
                   "learned_absolute, rope, mrope, yarn or none");
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
    layer.attention = reader.flag_given("multi-latent-attention") ? Attention(read_latent(reader))
                                                                  : Attention(read_grouped(reader));
    layer.ffn = routed[i] ? read_routed(reader) : read_dense(reader);
  }
  model.norm = read_norm(reader);
  model.embedding.positions = read_positions(reader);
  model.vocab_size = reader.count_or("vocab-size", 0);
  model.tie_word_embeddings = !reader.flag_given("untie-embeddings-and-output-weights");
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
    out.flag("qk-layernorm");
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
  return unlabelled(std::move(model));
}

[[noreturn]] void refuse(const Model& model) {
  std::string what = "Megatron-LM's arguments have no words for this combination of layers";
  if (!loop_spans(model).empty()) what = "Megatron-LM's arguments have no loop";
  throw InputError(model.name, what, "--to smelt keeps everything");
}

}  // namespace

bool looks_like_megatron_arguments(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  return !words.empty() && words.front().rfind("--", 0) == 0;
}

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
  out.text("position-embedding-type", model.embedding.positions > 0 ? "learned_absolute" : "rope");
  if (model.embedding.positions > 0) {
    out.count("max-position-embeddings", model.embedding.positions);
  }
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
