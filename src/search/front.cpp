#include "search/front.hpp"

#include <fmt/format.h>

#include <iterator>

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

bool Front::beats(const FrontKey& key) const {
  if (has_last_ && smelt::beats(last_to_beat_, key)) return true;
  for (auto next = members_.upper_bound(key); next != members_.begin();) {
    --next;
    if (!smelt::beats(next->first, key)) continue;
    last_to_beat_ = next->first;
    has_last_ = true;
    return true;
  }
  return false;
}

void Front::offer(const FrontKey& key, const SearchDesign& design) {
  if (beats(key)) return;
  const auto [place, is_new] = members_.try_emplace(key, design);
  if (!is_new) {
    if (better_(design, place->second)) place->second = design;
    return;  // alike in all metrics: nothing else changes
  }
  for (auto next = std::next(place); next != members_.end();) {
    const bool beaten = smelt::beats(key, next->first);
    if (!beaten && metrics_.size() <= 2) break;  // with two metrics, those behind are not either
    next = beaten ? members_.erase(next) : std::next(next);
  }
  if (members_.size() > kLargestFront) {
    throw InputError("/pareto",
                     fmt::format("the front passes {} designs",
                                 with_separators(static_cast<std::int64_t>(kLargestFront))),
                     "fewer metrics, or tighter tolerances");
  }
}

std::vector<SearchDesign> Front::members() const {
  std::vector<SearchDesign> list;
  for (const auto& member : members_) list.push_back(member.second);
  return list;
}

std::vector<FrontKey> Front::some_keys(std::size_t most) const {
  std::vector<FrontKey> keys;
  const std::size_t step = members_.size() / most + 1;
  std::size_t at = 0;
  for (const auto& member : members_) {
    if (at++ % step == 0) keys.push_back(member.first);
  }
  return keys;
}

}  // namespace smelt
