#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "match/best.hpp"
#include "search/front.hpp"
#include "search/search_order.hpp"
#include "search/stack_grids.hpp"

namespace smelt {

/// What is known of the blocks before: points that cannot come to anything are passed over early.
struct SearchHints {
  /// The objective of the worst candidate held; no design above it can be a candidate.
  double score = std::numeric_limits<double>::infinity();
  /// Where that objective is the KV deviation alone, the sum of its |deviation|.
  double tied_sum = std::numeric_limits<double>::infinity();
  bool score_is_kv = false;
  std::vector<FrontKey> front;  ///< some of the front's members
};

using BestDesigns = Best<SearchOrder, SearchDesign>;

/// What came of one block.
struct BlockResult {
  BlockResult(const SearchSpace& space, const SearchOrder& better)
      : best(better, space.top), front(space.pareto, better) {}

  Certificate tally;
  BestDesigns best;
  Front front;
  std::string text;  ///< of the stream, what is not yet written of it
};

/// One block's walk: a line at a time, and the points of a line only where one of them may become a
/// candidate or a member of the front, or where all are written down.
class BlockWalk {
 public:
  struct Hooks {
    std::function<bool()> goes_on;
    std::function<void(const SearchDesign&, std::string&)> append;  ///< empty without a stream
    std::function<void(std::string&)> flush;                        ///< takes a text that grew long
    /// Told how many points of the block stand before the plane or line at hand; may be empty.
    std::function<void(Count points)> at_point;
  };

  BlockWalk(const SearchSpace& space, const SearchOrder& better, const StackGrid& stack,
            std::int64_t block, SearchHints hints, const Hooks& hooks);

  /// Walks the hidden size with that index; false where it was stopped.
  bool run(std::int64_t hidden_index);
  BlockResult& result() { return result_; }

 private:
  static constexpr std::size_t kChunk = 256;

  bool goes_on(Count points_before);
  bool visit(const Line& line);
  void visit_chunk(const Line& line, std::int64_t first, std::size_t size, bool for_front);
  [[nodiscard]] bool may_be_candidate(std::size_t i) const;
  [[nodiscard]] bool front_may_want(std::int64_t fewest, std::int64_t most, double least_max_abs);
  [[nodiscard]] SearchDesign design(const Line& line, std::int64_t experts) const;
  void offer_best(const Line& line, std::int64_t experts);
  void offer_front(const Line& line, std::int64_t experts, double max_abs);
  void write(const Line& line, std::int64_t first, std::size_t size);

  const SearchSpace& space_;
  const StackGrid& stack_;
  std::int64_t block_;
  SearchHints hints_;
  const Hooks& hooks_;
  std::array<double, 3> scale_{};  ///< 1 / tolerance for Objective::kScaled
  BlockResult result_;
  // of the line at hand
  double kv_deviation_ = 0;
  MetricValues values_{};
  // of the chunk at hand
  std::array<std::int64_t, kChunk> experts_{};
  std::array<double, kChunk> flops_{};   ///< |deviation|
  std::array<double, kChunk> params_{};  ///< |deviation|
  std::array<double, kChunk> max_abs_{};
  std::array<double, kChunk> score_{};
};

/// The hints that candidates and a front give.
SearchHints hints_from(const SearchSpace& space, const BestDesigns& best, const Front& front);

}  // namespace smelt
