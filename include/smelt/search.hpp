#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/search_space.hpp"

namespace smelt {

/// A point of a space within tolerance.
struct SearchDesign {
  std::int64_t block = 0;
  std::int64_t stack = 0;  ///< index among stacks_of(space)
  Candidate candidate;
  MetricValues metrics{};
};

/// Which blocks of a space a run takes: those numbered index - 1, index - 1 + count, ... A block is
/// all points of one stack and one hidden size; blocks are numbered from 0 by stack, then by H, and
/// the points in them stand in the order of key-value geometry, query heads, F and E.
struct Shard {
  std::int64_t index = 1;  ///< from 1 to count
  std::int64_t count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

struct SearchCounts {
  Count grid_points;
  Count feasible;  ///< within all three tolerances

  friend bool operator==(const SearchCounts&, const SearchCounts&) = default;
};

struct SearchResult {
  SearchCounts counts;
  std::int64_t blocks = 0;               ///< of the shard
  std::int64_t blocks_done = 0;          ///< the first ones in order; all but after a stop
  std::vector<SearchDesign> candidates;  ///< the best by the objective, best first
  /// Every design that no other one beats in one metric without being worse in another, in the
  /// order of the objective. Of designs alike in all metrics asked for, the best by the objective.
  std::vector<SearchDesign> pareto;

  [[nodiscard]] bool complete() const { return blocks_done == blocks; }
};

/// Receives every design within tolerance as text, in the order of the space.
struct DesignStream {
  std::function<void(const SearchDesign&, std::string& text)> append;
  std::function<void(std::string_view text)> write;
};

struct SearchProgress {
  std::int64_t blocks = 0;
  std::int64_t blocks_done = 0;
  Count grid_points;  ///< of the blocks done
};

struct SearchOptions {
  int threads = 0;  ///< 0: one per core. The result does not depend on it.
  Shard shard;
  const std::atomic<bool>* stop = nullptr;  ///< ends the run early where it turns true
  std::function<void(const SearchProgress&)> on_progress;  ///< after each block
  DesignStream stream;                                     ///< empty functions for none
};

/// The most members of a Pareto front that are held, at any time and in the end.
inline constexpr std::size_t kLargestFront = 200'000;

/// Searches the whole space. Throws InputError when the space is none (see stacks_of, solve), has
/// no point, or its Pareto front passes kLargestFront.
SearchResult search(const SearchSpace& space, const SearchOptions& options = {});

/// The result of a whole space from those of all its shards.
SearchResult merge(const SearchSpace& space, const std::vector<SearchResult>& shards);

/// A point of the space costed again. Throws InputError when its stack is none of the space.
SearchDesign design_at(const SearchSpace& space, const std::vector<Stack>& stacks,
                       std::int64_t block, std::int64_t stack, const Dimensions& dimensions);

/// How large a search is, from up to 32 of its blocks spread evenly.
struct SearchEstimate {
  double grid_points = 0;
  double seconds = 0;  ///< on the threads asked for
};
SearchEstimate estimate(const SearchSpace& space, const SearchOptions& options);

}  // namespace smelt
