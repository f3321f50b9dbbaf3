#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "match/grid.hpp"
#include "smelt/search.hpp"

namespace smelt {

/// One stack of a space with its grid.
struct StackGrid {
  StackGrid(const SearchSpace& space, const std::vector<Stack>& stacks, std::int64_t stack)
      : index(stack),
        problem(problem_of(space, stacks[static_cast<std::size_t>(stack)])),
        grid(problem),
        basis(metric_basis(space, stacks[static_cast<std::size_t>(stack)])) {}
  StackGrid(const StackGrid&) = delete;
  StackGrid& operator=(const StackGrid&) = delete;

  std::int64_t index;
  MatchProblem problem;
  DeclaredGrid grid;
  MetricBasis basis;
};

/// The grids of a space's stacks, built when they are asked for; the last few are kept, as threads
/// work on neighbouring blocks.
class StackGrids {
 public:
  StackGrids(const SearchSpace& space, const std::vector<Stack>& stacks, std::size_t kept)
      : space_(space), stacks_(stacks), kept_(kept) {}

  std::shared_ptr<const StackGrid> at(std::int64_t stack) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& grid : recent_) {
        if (grid->index == stack) return grid;
      }
    }
    auto built = std::make_shared<const StackGrid>(space_, stacks_, stack);
    const std::lock_guard<std::mutex> lock(mutex_);
    recent_.push_back(built);
    if (recent_.size() > kept_) recent_.pop_front();
    return built;
  }

 private:
  const SearchSpace& space_;
  const std::vector<Stack>& stacks_;
  std::size_t kept_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<const StackGrid>> recent_;
};

}  // namespace smelt
