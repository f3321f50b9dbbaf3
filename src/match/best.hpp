#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "smelt/match.hpp"

namespace smelt {

/// Keeps the best `top` of all candidates offered, by a strict order "better than".
template <typename BetterThan>
class Best {
 public:
  Best(BetterThan better, std::int64_t top) : better_(std::move(better)), top_(top) {}

  /// Always true, so that a walk over all candidates goes on.
  bool offer(const Candidate& candidate) {
    if (std::ssize(heap_) == top_) {
      if (!better_(candidate, heap_.front())) return true;
      std::pop_heap(heap_.begin(), heap_.end(), better_);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), better_);
    return true;
  }

  /// Best first, deviations filled in.
  [[nodiscard]] std::vector<Candidate> sorted(const Budget& baseline) const {
    std::vector<Candidate> list = heap_;
    std::sort(list.begin(), list.end(), better_);
    for (Candidate& candidate : list) {
      candidate.deviation = deviation(candidate.budget, baseline);
    }
    return list;
  }

 private:
  BetterThan better_;
  std::int64_t top_;
  std::vector<Candidate> heap_;  // the worst in front
};

}  // namespace smelt
