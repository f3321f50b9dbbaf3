#include "search/front.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

bool beats(const FrontKey& a, const FrontKey& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

FrontKey Front::key_of(const MetricValues& values) const {
  FrontKey key{};
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const double value = values[static_cast<std::size_t>(metrics_[i].metric)];
    key[i] = metrics_[i].higher_is_better ? -value : value;
  }
  return key;
}

bool Front::beats(const FrontKey& key) {
  if (last_to_beat_ < keys_.size() && smelt::beats(keys_[last_to_beat_], key)) return true;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!smelt::beats(keys_[i], key)) continue;
    last_to_beat_ = i;
    return true;
  }
  return false;
}

void Front::offer(const FrontKey& key, const SearchDesign& design) {
  if (beats(key)) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == key) {
      if (better_(design, members_[i])) members_[i] = design;
      return;  // alike in all metrics: nothing else changes
    }
    if (smelt::beats(key, keys_[i])) continue;
    keys_[kept] = keys_[i];
    if (kept != i) members_[kept] = members_[i];
    ++kept;
  }
  keys_.resize(kept);
  members_.resize(kept);
  if (kept == kLargestFront) {
    throw InputError("/pareto",
                     fmt::format("the front passes {} designs",
                                 with_separators(static_cast<std::int64_t>(kLargestFront))),
                     "fewer metrics, or tighter tolerances");
  }
  keys_.push_back(key);
  members_.push_back(design);
}

std::vector<FrontKey> Front::some_keys(std::size_t most) const {
  return {keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(std::min(most, keys_.size()))};
}

}  // namespace smelt
