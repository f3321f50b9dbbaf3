#include "io/search_design_json.hpp"

#include <utility>

#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/search_part.hpp"
#include "smelt/search_report.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kLargest = 9'000'000'000'000'000'000;

void add_dimensions(const Dimensions& d, JsonValue::Object& members) {
  const auto add = [&](const char* key, std::int64_t value) {
    members.emplace_back(key, to_value(Count(value)));
  };
  add("hidden_size", d.hidden_size);
  if (d.num_experts > 0) add("num_experts", d.num_experts);
  add(d.num_experts > 0 ? "moe_intermediate_size" : "intermediate_size", d.ffn_width);
  if (d.heads) {
    add("num_attention_heads", d.heads->num_heads);
    add("num_key_value_heads", d.heads->num_key_value_heads);
    add("head_dim", d.heads->head_dim);
  }
  if (d.ranks) {
    add("q_lora_rank", d.ranks->q_lora_rank);
    add("kv_lora_rank", d.ranks->kv_lora_rank);
  }
}

Dimensions read_dimensions(ObjectReader& reader) {
  const auto read = [&](const char* key) { return reader.count(key, 0, kLargest).value_or(0); };
  Dimensions d;
  d.hidden_size = read("hidden_size");
  d.num_experts = read("num_experts");
  d.ffn_width = read(d.num_experts > 0 ? "moe_intermediate_size" : "intermediate_size");
  if (reader.has("head_dim")) {
    d.heads =
        HeadGeometry{read("num_attention_heads"), read("num_key_value_heads"), read("head_dim")};
  }
  if (reader.has("kv_lora_rank")) d.ranks = LatentRanks{read("q_lora_rank"), read("kv_lora_rank")};
  return d;
}

}  // namespace

JsonValue counts_value(const SearchCounts& counts) {
  return JsonValue::object(
      {{"grid_points", to_value(counts.grid_points)}, {"feasible", to_value(counts.feasible)}});
}

JsonValue metrics_value(const SearchSpace& space, const MetricValues& values) {
  JsonValue::Object members;
  for (const Metric metric : reported_metrics(space)) {
    members.emplace_back(std::string(info_of(metric).key),
                         to_value(values[static_cast<std::size_t>(metric)]));
  }
  return JsonValue::object(std::move(members));
}

JsonValue place_value(const SearchDesign& design) {
  JsonValue::Object members = {{"block", to_value(Count(design.block))},
                               {"stack", to_value(Count(design.stack))}};
  add_dimensions(design.candidate.dimensions, members);
  return JsonValue::object(std::move(members));
}

SearchDesign read_design(const SearchSpace& space, const std::vector<Stack>& stacks,
                         std::string_view line) {
  const JsonValue json = parse_json(line);
  Mistakes mistakes;
  ObjectReader reader(json, {}, mistakes);
  reader.require({"block", "stack", "hidden_size"});
  const std::int64_t block = reader.count("block", 0, kLargest).value_or(0);
  const std::int64_t stack = reader.count("stack", 0, kLargest).value_or(0);
  const Dimensions dimensions = read_dimensions(reader);
  reader.reject_unknown_keys();
  mistakes.throw_if_any();
  return design_at(space, stacks, block, stack, dimensions);
}

void append_design_line(const SearchSpace& space, const std::vector<Stack>& stacks,
                        const SearchDesign& design, std::string& text) {
  const Stack& stack = stacks[static_cast<std::size_t>(design.stack)];
  JsonValue::Object members = {{"block", to_value(Count(design.block))},
                               {"num_hidden_layers", to_value(Count(stack.num_layers))}};
  if (stack.loop) {
    members.emplace_back("loop",
                         JsonValue::object({{"start", to_value(Count(stack.loop->start))},
                                            {"length", to_value(Count(stack.loop->length))},
                                            {"visits", to_value(Count(stack.loop->visits))}}));
  }
  const MetricBasis basis = metric_basis(space, stack);
  if (basis.num_experts_per_tok > 0) {
    members.emplace_back("num_experts_per_tok", to_value(Count(basis.num_experts_per_tok)));
  }
  add_dimensions(design.candidate.dimensions, members);
  members.emplace_back("budget", budget_value(design.candidate.budget));
  members.emplace_back("deviation", deviation_value(design.candidate.deviation));
  members.emplace_back("metrics", metrics_value(space, design.metrics));
  text += write_json_line(JsonValue::object(std::move(members)));
}

}  // namespace smelt
