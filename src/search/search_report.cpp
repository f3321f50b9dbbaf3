#include "smelt/search_report.hpp"

#include <fmt/format.h>

namespace smelt {
namespace {

/// "NAME-4-9x2-h1008-e288-f368": the Baseline's name, the loop, the sizes.
std::string design_name(const SearchSpace& space, const Stack& stack, const Dimensions& d) {
  std::string name = space.baseline.name.empty() ? "design" : space.baseline.name;
  if (stack.num_layers != space.baseline.num_layers()) {
    name += fmt::format("-{}l", stack.num_layers);
  }
  if (stack.loop) {
    name += fmt::format("-{}-{}x{}", stack.loop->start + 1, stack.loop->start + stack.loop->length,
                        stack.loop->visits);
  }
  if (stack.num_experts_per_tok) name += fmt::format("-k{}", *stack.num_experts_per_tok);
  name += fmt::format("-h{}", d.hidden_size);
  if (d.num_experts > 0) name += fmt::format("-e{}", d.num_experts);
  return name + fmt::format("-f{}", d.ffn_width);
}

SearchRow row_of(const SearchSpace& space, const std::vector<Stack>& stacks,
                 const SearchDesign& design) {
  const Stack& stack = stacks[static_cast<std::size_t>(design.stack)];
  const Dimensions& dimensions = design.candidate.dimensions;
  SearchRow row{build_model(problem_of(space, stack), dimensions),
                stack_experts_per_token(space, stack), design};
  row.model.name = design_name(space, stack, dimensions);
  return row;
}

}  // namespace

SearchReport report_search(const SearchSpace& space, const SearchResult& result) {
  const std::vector<Stack> stacks = stacks_of(space);
  SearchReport report;
  report.space = space;
  report.baseline = budget_of(space.baseline, space.convention);
  report.counts = result.counts;
  report.stacks = std::ssize(stacks);
  report.blocks = result.blocks;
  report.blocks_done = result.blocks_done;
  for (const SearchDesign& design : result.candidates) {
    report.candidates.push_back(row_of(space, stacks, design));
  }
  for (const SearchDesign& design : result.pareto) {
    report.pareto.push_back(row_of(space, stacks, design));
  }
  return report;
}

bool is_reported(const SearchSpace& space, const MetricInfo& metric) {
  return (space.batch_tokens || !metric.needs_batch) &&
         (space.expert_parallel_degree || !metric.needs_degree) &&
         (space.device || !metric.needs_device);
}

std::vector<Metric> reported_metrics(const SearchSpace& space) {
  std::vector<Metric> metrics;
  for (const MetricInfo& info : metric_infos()) {
    if (is_reported(space, info)) metrics.push_back(info.metric);
  }
  return metrics;
}

std::vector<LegendEntry> search_legend(const SearchSpace& space) {
  std::vector<LegendEntry> legend = {
      {"grid_points", "points", "designs of the space: every stack with every point of the rules"},
      {"feasible", "within", "those of them within all three tolerances"}};
  for (const Metric metric : reported_metrics(space)) {
    const MetricInfo& info = info_of(metric);
    legend.push_back({std::string(info.key), std::string(info.title), std::string(info.meaning)});
  }
  if (space.batch_tokens) {
    legend.push_back({"batch_tokens", "batch", fmt::format("{} tokens", *space.batch_tokens)});
  }
  if (space.expert_parallel_degree) {
    legend.push_back(
        {"expert_parallel_degree", "EP degree", std::to_string(*space.expert_parallel_degree)});
  }
  if (space.device) legend.push_back({"device", "device", space.device->name});
  return legend;
}

}  // namespace smelt
