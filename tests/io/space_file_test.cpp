#include "smelt/space_file.hpp"

#include <sstream>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"

using namespace smelt;

namespace {

/// A space of a small model with these members beside it.
SearchSpace space_with(const std::string& members) {
  std::string text =
      R"({"baseline": {"model_type": "smelt", "hidden_size": 64, "num_hidden_layers": 8,
          "num_attention_heads": 4, "num_key_value_heads": 2, "num_experts": 8,
          "num_experts_per_tok": 2, "moe_intermediate_size": 32, "attended_keys": 10},
          "rules": {"tolerance": {"flops": "4%", "params": "1%", "kv": "4%"}})";
  text += members;
  text += '}';
  return read_space(parse_json(text), Presets({}));
}

/// The stacks as "L:START+LENGTHxVISITS/k", a plain one as "L/k".
std::string stacks(const std::string& members) {
  std::ostringstream text;
  for (const Stack& stack : stacks_of(space_with(members))) {
    text << (text.tellp() == 0 ? "" : " ") << stack.num_layers;
    if (stack.loop) {
      text << ':' << stack.loop->start << '+' << stack.loop->length << 'x' << stack.loop->visits;
    }
    if (stack.num_experts_per_tok) text << '/' << *stack.num_experts_per_tok;
  }
  return text.str();
}

}  // namespace

TEST_CASE("the stacks of a space in its order") {
  CHECK(stacks("") == "8");
  CHECK(stacks(R"(, "num_hidden_layers": [6, 4], "num_experts_per_tok": [3, 2])") ==
        "4/2 4/3 6/2 6/3");
  CHECK(stacks(R"(, "loop": {"length": "1/2", "visits": 2})") == "8:2+4x2");
  CHECK(stacks(R"(, "loop": {"length": 5, "visits": 2})") == "8:1+5x2");
  CHECK(stacks(R"(, "loop": {"length": 7, "start": "any", "visits": 3})") == "8:0+7x3 8:1+7x3");
  CHECK(stacks(R"(, "loop": {"length": [6, "1/2", 4], "start": [4, 2], "visits": 2})") ==
        "8:2+4x2 8:4+4x2 8:2+6x2");
  CHECK(stacks(R"(, "loop": {"length": [1, 2], "visits": {"min": 1, "max": 2}})") ==
        "8 8:3+1x2 8:3+2x2");
  CHECK(stacks(R"(, "num_hidden_layers": [7, 8], "loop": {"length": "1/2", "visits": 2})") ==
        "8:2+4x2");
}

TEST_CASE("a space reads back what is written of it, and the hash knows it again") {
  const SearchSpace space = space_with(
      R"(, "name": "a", "num_hidden_layers": {"min": 6, "max": 8, "multiple_of": 2},
      "loop": {"length": ["1/2", 3], "start": "any", "visits": 2}, "tolerance": {"kv": 0.1},
      "convention": "matmul", "objective": "sum", "top": 3, "batch_tokens": 4096,
      "device": {"dense_peak_flops_per_s": {"bf16": 1e15}, "memory_bandwidth_bytes_per_s": 3e12,
                 "multiprocessors": 132, "l2_bytes": 5e7, "memory_bytes": 8e10, "source": "s"},
      "pareto": ["tile_fill", {"metric": "effective_depth_to_width", "better": "lower"}])");
  const JsonValue json = space_json(space);
  const SearchSpace again = read_space(json, Presets({}));
  CHECK(write_json(space_json(again)) == write_json(json));
  CHECK(again.num_hidden_layers == std::vector<std::int64_t>{6, 8});
  CHECK(again.loop == space.loop);
  CHECK(again.rules.tolerance == space.rules.tolerance);
  CHECK(again.rules.tolerance.kv == Rational(1, 10));
  CHECK(again.pareto == space.pareto);
  CHECK(again.device == space.device);
  CHECK(space_hash(again) == space_hash(space));

  SearchSpace other = space;
  other.name += "b";
  CHECK(space_hash(other) == space_hash(space));
  other.rules.tolerance.kv = Rational(1, 5);
  CHECK(space_hash(other) != space_hash(space));
}

TEST_CASE("every mistake of a space file is named") {
  const auto mistakes = [](const std::string& members) {
    return failure([&] { return space_with(members); });
  };
  CHECK(mistakes(R"(, "loop": {"length": "half"}, "topk": 2)") ==
        "/loop/length: 'half' is no part of the depth (a fraction such as \"1/2\", or a number of "
        "layers)\n/loop/visits: is missing\n/topk: unknown key (did you mean 'top'?)");
  CHECK(mistakes(R"(, "num_hidden_layers": {"min": 3, "max": 2})") ==
        "/num_hidden_layers: holds no value (min at most max, a multiple between)");
  CHECK(mistakes(R"(, "pareto": ["tile_fill", "tile_fill"], "batch_tokens": 1)") ==
        "/pareto/1: stands on the list twice");
}
