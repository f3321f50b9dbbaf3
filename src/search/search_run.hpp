#pragma once

#include <functional>
#include <vector>

#include "search/block_walk.hpp"
#include "search/stack_grids.hpp"
#include "smelt/search.hpp"

namespace smelt {

/// The blocks of one shard of a space, each walked on its own.
class SearchRun {
 public:
  /// `space` must outlive the run.
  SearchRun(const SearchSpace& space, const SearchOptions& options);

  /// Of the shard.
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  [[nodiscard]] const SearchOrder& better() const { return better_; }

  /// Walks the shard's block with that number, hands what came of it to `take`, and says whether
  /// the walk came to its end. Several threads may walk at once.
  bool walk(std::int64_t number, SearchHints hints, const BlockWalk::Hooks& hooks,
            const std::function<void(BlockResult&)>& take);

 private:
  const SearchSpace& space_;
  std::vector<Stack> stacks_;
  StackGrids grids_;
  Budget baseline_;
  SearchOrder better_;
  std::int64_t hidden_sizes_;
  Shard shard_;
  std::int64_t blocks_ = 0;
};

}  // namespace smelt
