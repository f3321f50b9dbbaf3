#include "io/search_design_json.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/search_part.hpp"
#include "smelt/search_report.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kLargest = 9'000'000'000'000'000'000;

/// Calls add(key, value) for each dimension that a design has.
template <typename Add>
void for_each_dimension(const Dimensions& d, Add add) {
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
  for_each_dimension(design.candidate.dimensions, [&](const char* key, std::int64_t value) {
    members.emplace_back(key, to_value(Count(value)));
  });
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

/// Written without a JsonValue on the way: a stream may hold billions of lines.
void append_design_line(const SearchSpace& space, const std::vector<Stack>& stacks,
                        const SearchDesign& design, std::string& text) {
  const auto out = std::back_inserter(text);
  const Stack& stack = stacks[static_cast<std::size_t>(design.stack)];
  fmt::format_to(out, R"({{"block": {}, "num_hidden_layers": {})", design.block, stack.num_layers);
  if (stack.loop) {
    fmt::format_to(out, R"(, "loop": {{"start": {}, "length": {}, "visits": {}}})",
                   stack.loop->start, stack.loop->length, stack.loop->visits);
  }
  if (const auto k = stack_experts_per_token(space, stack); k > 0) {
    fmt::format_to(out, R"(, "num_experts_per_tok": {})", k);
  }
  for_each_dimension(design.candidate.dimensions, [&](const char* key, std::int64_t value) {
    fmt::format_to(out, R"(, "{}": {})", key, value);
  });
  const auto& [dimensions, budget, deviation] = design.candidate;
  fmt::format_to(out,
                 R"(, "budget": {{"training_flops_per_token": {}, "non_embedding_params": {}, )"
                 R"("kv_elements_per_token": {}}}, )"
                 R"("deviation": {{"flops": {}, "params": {}, "kv": {}}}, "metrics": {{)",
                 budget.training_flops_per_token.value(), budget.non_embedding_params.value(),
                 budget.kv_elements_per_token.value(), shortest(deviation.flops),
                 shortest(deviation.params), shortest(deviation.kv));
  const char* separator = "";
  for (const MetricInfo& info : metric_infos()) {
    if (!is_reported(space, info)) continue;
    fmt::format_to(out, R"({}"{}": {})", separator, info.key,
                   shortest(design.metrics[static_cast<std::size_t>(info.metric)]));
    separator = ", ";
  }
  text += "}}\n";
}

}  // namespace smelt
