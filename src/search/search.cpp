#include "smelt/search.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "search/block_walk.hpp"
#include "search/in_order.hpp"
#include "search/search_run.hpp"
#include "smelt/error.hpp"
#include "smelt/parallel.hpp"

namespace smelt {
namespace {

/// Results that wait for an earlier one, for each thread.
constexpr std::int64_t kHeldPerThread = 4;

/// What all blocks so far have come to.
class Gathered {
 public:
  Gathered(const SearchSpace& space, const SearchOrder& better)
      : space_(space), best_(better, space.top), front_(space.pareto, better) {}

  void add(const SearchCounts& counts, const std::vector<SearchDesign>& best,
           const std::vector<SearchDesign>& front) {
    result_.counts.grid_points += counts.grid_points;
    result_.counts.feasible += counts.feasible;
    for (const SearchDesign& design : best) best_.offer(design);
    for (const SearchDesign& design : front) front_.offer(design);
    if (!best.empty()) hints_ = hints_from(space_, best_, front_);
  }

  [[nodiscard]] const SearchCounts& counts() const { return result_.counts; }
  [[nodiscard]] const SearchHints& hints() const { return hints_; }

  SearchResult take(const SearchOrder& better) {
    result_.candidates = best_.sorted();
    result_.pareto = front_.members();
    std::sort(result_.pareto.begin(), result_.pareto.end(), better);
    return std::move(result_);
  }

 private:
  const SearchSpace& space_;
  BestDesigns best_;
  Front front_;
  SearchHints hints_;
  SearchResult result_;
};

void require_points(const SearchCounts& counts) {
  if (counts.grid_points == Count(0)) {
    throw InputError("/rules", "the space is empty: no point obeys them",
                     "wider bounds, or a query_width that is free");
  }
}

}  // namespace

SearchRun::SearchRun(const SearchSpace& space, const SearchOptions& options)
    : space_(space),
      stacks_(stacks_of(space)),
      grids_(space, stacks_, 2 * static_cast<std::size_t>(resolve_threads(options.threads))),
      baseline_(grids_.at(0)->grid.baseline()),
      better_(space, baseline_),
      hidden_sizes_(grids_.at(0)->grid.hidden_sizes().size()),
      shard_(options.shard) {
  const std::int64_t all = (Count(std::ssize(stacks_)) * hidden_sizes_).value();
  blocks_ = all < shard_.index ? 0 : (all - shard_.index) / shard_.count + 1;
}

bool SearchRun::walk(std::int64_t number, SearchHints hints, const BlockWalk::Hooks& hooks,
                     const std::function<void(BlockResult&)>& take) {
  const std::int64_t block = shard_.index - 1 + number * shard_.count;
  const auto stack = grids_.at(block / hidden_sizes_);
  BlockWalk walk(space_, better_, *stack, block, std::move(hints), hooks);
  const bool finished = walk.run(block % hidden_sizes_);
  take(walk.result());
  return finished;
}

SearchResult search(const SearchSpace& space, const SearchOptions& options) {
  SearchRun run(space, options);
  Gathered gathered(space, run.better());
  SearchProgress progress{run.blocks(), 0, 0};
  const auto commit = [&](BlockResult result) {
    if (!result.text.empty()) options.stream.write(result.text);
    gathered.add({result.tally.grid_points, result.tally.evaluated}, result.best.items(),
                 result.front.members());
    progress.blocks_done += 1;
    progress.grid_points = gathered.counts().grid_points;
    if (options.on_progress) options.on_progress(progress);
  };
  InOrder<BlockResult, decltype(commit)> order(kHeldPerThread * resolve_threads(options.threads),
                                               commit);
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto work = [&](std::int64_t number) {
    BlockWalk::Hooks hooks;
    hooks.goes_on = [&] { return !stopped(); };
    hooks.append = options.stream.append;
    hooks.flush = [&](std::string& text) {
      order.in_turn(number, [&] { options.stream.write(text); });
      text.clear();
    };
    SearchHints hints = order.look([&]() -> SearchHints { return gathered.hints(); });
    const bool finished =
        !stopped() && run.walk(number, std::move(hints), hooks, [&](BlockResult& result) {
          if (result.tally.complete) order.submit(number, std::move(result));
        });
    if (!finished) throw Stopped();
  };
  try {
    parallel_for(static_cast<std::size_t>(run.blocks()), options.threads, [&](std::size_t index) {
      const auto number = static_cast<std::int64_t>(index);
      try {
        work(number);
      } catch (const Stopped&) {
        order.stop();
        throw;
      } catch (...) {
        order.fail(number, std::current_exception());
        throw;
      }
    });
  } catch (...) {
    order.rethrow_failure();  // none where it was only stopped
  }
  SearchResult result = gathered.take(run.better());
  result.blocks = run.blocks();
  result.blocks_done = progress.blocks_done;
  if (result.complete() && options.shard.count == 1) require_points(result.counts);
  return result;
}

SearchResult merge(const SearchSpace& space, const std::vector<SearchResult>& shards) {
  const SearchRun run(space, {});
  Gathered gathered(space, run.better());
  for (const SearchResult& shard : shards) {
    gathered.add(shard.counts, shard.candidates, shard.pareto);
  }
  require_points(gathered.counts());
  SearchResult result = gathered.take(run.better());
  result.blocks = run.blocks();
  result.blocks_done = result.blocks;
  return result;
}

SearchDesign design_at(const SearchSpace& space, const std::vector<Stack>& stacks,
                       std::int64_t block, std::int64_t stack, const Dimensions& dimensions) {
  if (stack < 0 || stack >= std::ssize(stacks)) {
    throw InputError("stack", "is none of the space's");
  }
  const Stack& own = stacks[static_cast<std::size_t>(stack)];
  const Model model = build_model(problem_of(space, own), dimensions);
  SearchDesign design{block, stack, {dimensions, budget_of(model, space.convention), {}}, {}};
  design.candidate.deviation =
      deviation(design.candidate.budget, budget_of(space.baseline, space.convention));
  design.metrics = metric_values(metric_basis(space, own), dimensions, design.candidate.deviation);
  return design;
}

}  // namespace smelt
