#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "smelt/match.hpp"

namespace smelt {

/// Keeps the best `top` of all items offered, by a strict order "better than".
template <typename BetterThan, typename Item = Candidate>
class Best {
 public:
  Best(BetterThan better, std::int64_t top) : better_(std::move(better)), top_(top) {}

  /// Always true, so that a walk over all candidates goes on.
  bool offer(const Item& item) {
    if (full()) {
      if (!better_(item, heap_.front())) return true;
      std::pop_heap(heap_.begin(), heap_.end(), better_);
      heap_.pop_back();
    }
    heap_.push_back(item);
    std::push_heap(heap_.begin(), heap_.end(), better_);
    return true;
  }

  [[nodiscard]] bool full() const { return std::ssize(heap_) == top_; }
  /// Of those kept; there must be one.
  [[nodiscard]] const Item& worst() const { return heap_.front(); }
  /// In no order.
  [[nodiscard]] const std::vector<Item>& items() const { return heap_; }

  /// Best first.
  [[nodiscard]] std::vector<Item> sorted() const {
    std::vector<Item> list = heap_;
    std::sort(list.begin(), list.end(), better_);
    return list;
  }

  /// Best first, deviations filled in.
  [[nodiscard]] std::vector<Item> sorted(const Budget& baseline) const {
    std::vector<Item> list = sorted();
    for (Item& candidate : list) {
      candidate.deviation = deviation(candidate.budget, baseline);
    }
    return list;
  }

 private:
  BetterThan better_;
  std::int64_t top_;
  std::vector<Item> heap_;  // the worst in front
};

}  // namespace smelt
