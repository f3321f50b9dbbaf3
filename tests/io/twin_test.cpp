#include <filesystem>
#include <random>

#include "catch.hpp"
#include "smelt/cost.hpp"
#include "smelt/error.hpp"
#include "smelt/hf_config.hpp"
#include "smelt/text_file.hpp"
#include "tensor_list.hpp"

using namespace smelt;

namespace {

struct TwinCounts {
  std::int64_t total = 0;
  std::int64_t non_embedding = 0;
  std::int64_t matrices = 0;
  std::int64_t active = 0;
  std::int64_t executed = 0;
};

TwinCounts add_up(const std::vector<Tensor>& tensors) {
  TwinCounts sum;
  for (const Tensor& tensor : tensors) {
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= size;
    sum.total += elements;
    if (tensor.lookup) continue;
    sum.non_embedding += elements;
    if (!tensor.vector) sum.matrices += elements;
    const bool stacked = tensor.used != 1 || tensor.name.find("experts") != std::string::npos;
    const std::int64_t used = stacked ? elements / tensor.shape[0] * tensor.used : elements;
    sum.active += used;
    sum.executed += used * tensor.per_token;
  }
  return sum;
}

void check_twin(const Model& model) {
  const TwinCounts twin = add_up(list_tensors(model));
  const ParameterCounts counts = count_parameters(model);
  CHECK(counts.total.value() == twin.total);
  CHECK(counts.non_embedding.value() == twin.non_embedding);
  CHECK(counts.matrix_weights.value() == twin.matrices);
  CHECK(counts.active.value() == twin.active);
  // Adapters and some extras are stored more often than a token meets them in one traversal.
  CHECK(counts.executed_active.value() == twin.executed);
  CHECK(counts.active_with_embeddings.value() == twin.active + twin.total - twin.non_embedding);
  CHECK(counts.mtp.value() == add_up(list_mtp_tensors(model)).total);
  CHECK(kv_elements_per_token(model).value() == walk_cache(model));
  Count components;
  for (const Component component : kAllComponents) components += counts.components[component];
  CHECK(components == counts.total);
}

/// Draws of a fixed generator, the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t from(std::int64_t lowest, std::int64_t highest) {
    const auto width = static_cast<std::uint64_t>(highest - lowest + 1);
    return lowest + static_cast<std::int64_t>(engine_() % width);
  }
  bool coin() { return from(0, 1) == 1; }

 private:
  std::mt19937_64 engine_;
};

Attention random_attention(Draw& draw) {
  const std::int64_t kind = draw.from(0, 4);
  if (kind == 0) {
    return LatentAttention{draw.from(1, 9),  draw.from(0, 1) * draw.from(1, 40),
                           draw.from(1, 40), draw.from(1, 30),
                           draw.from(1, 30), draw.from(1, 30),
                           draw.coin()};
  }
  if (kind == 1) {
    const std::int64_t key_heads = draw.from(1, 5);
    return GatedLinearAttention{key_heads, key_heads * draw.from(1, 4), draw.from(1, 30),
                                draw.from(1, 30), draw.from(1, 5)};
  }
  GroupedQueryAttention attention;
  attention.num_key_value_heads = draw.from(1, 5);
  attention.num_heads = attention.num_key_value_heads * draw.from(1, 4);
  attention.head_dim = draw.from(1, 40);
  attention.qk_norm = static_cast<QkNorm>(draw.from(0, 3));
  attention.bias = {draw.coin(), draw.coin(), draw.coin(), draw.coin()};
  attention.sinks = draw.coin();
  attention.output_gate = draw.coin();
  attention.own_keys_values = draw.from(0, 3) != 0;
  return attention;
}

Ffn random_ffn(Draw& draw) {
  Ffn ffn;
  ffn.matrices = draw.from(2, 3);
  if (draw.coin()) {
    ffn.num_experts = draw.from(1, 20);
    ffn.num_experts_per_tok = draw.from(1, ffn.num_experts);
    ffn.expert_width = draw.from(1, 50);
    ffn.router_bias = draw.coin();
    ffn.router_correction_bias = draw.coin();
    ffn.num_shared_experts = draw.from(0, 3);
    ffn.shared_expert_width = draw.from(1, 50);
    ffn.shared_expert_gate = draw.coin() && ffn.num_shared_experts > 0;
    ffn.expert_bias = draw.coin();
  }
  if (ffn.num_experts == 0 || draw.from(0, 3) == 0) ffn.dense_width = draw.from(1, 90);
  ffn.bias = draw.coin();
  return ffn;
}

Layer random_layer(Draw& draw) {
  Layer layer;
  layer.attention = random_attention(draw);
  layer.ffn = random_ffn(draw);
  layer.norms = draw.from(0, 4);
  return layer;
}

void add_random_loop(Draw& draw, Model& model) {
  for (std::int64_t spans = draw.from(0, 2); spans > 0; --spans) {
    const std::int64_t start = draw.from(0, model.num_layers() - 1);
    apply_loop(model, {start, draw.from(1, model.num_layers() - start), draw.from(1, 5)});
  }
  model.loop.kv = static_cast<KvPolicy>(draw.from(0, 4));
  model.loop.kv_visits = draw.from(1, 4);
  model.loop.inject_matrices = draw.from(0, 2);
  model.loop.inject_vectors = draw.from(0, 2);
  model.loop.adapter_rank = draw.from(0, 1) * draw.from(1, 8);
}

Model random_model(std::uint64_t seed) {
  Draw draw(seed);
  Model model;
  model.hidden_size = draw.from(1, 100);
  const Layer common = random_layer(draw);
  for (std::int64_t layers = draw.from(1, 8); layers > 0; --layers) {
    model.layers.push_back(draw.coin() ? common : random_layer(draw));
  }
  add_random_loop(draw, model);
  model.norm = static_cast<NormKind>(draw.from(0, 2));
  model.final_norms = draw.from(0, 3);
  model.vocab_size = draw.from(1, 1000);
  model.tie_word_embeddings = draw.coin();
  model.has_output_head = draw.from(0, 4) != 0;
  model.output_head_bias = draw.coin();
  model.embedding = {draw.from(0, 100), draw.from(0, 3), draw.from(0, 1) * draw.from(1, 30),
                     draw.from(0, 1)};
  if (draw.coin()) model.extras.push_back({"extra", draw.from(0, 99), draw.from(0, 9), 2});
  for (std::int64_t mtp = draw.from(0, 2); mtp > 0; --mtp) {
    model.mtp_layers.push_back(random_layer(draw));
  }
  model.causal = draw.from(0, 5) != 0;
  return model;
}

}  // namespace

TEST_CASE("the list of tensors adds up to the counts: published models") {
  for (const auto& entry : std::filesystem::directory_iterator(SMELT_TEST_DATA "/models")) {
    const std::string file = entry.path().filename().string();
    if (file.find(".config.json") == std::string::npos) continue;
    CAPTURE(file);
    check_twin(import_hf_config(read_json_file(entry.path())).model);
  }
}

TEST_CASE("the list of tensors adds up to the counts: 2,000 random models") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    const Model model = random_model(seed);
    REQUIRE_NOTHROW(validate(model));
    check_twin(model);
  }
}
