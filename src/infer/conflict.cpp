#include "infer/conflict.hpp"

#include <algorithm>

namespace smelt {
namespace {

using Places = std::vector<std::size_t>;

bool contains(const Places& places, std::size_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

bool meets(const Places& a, const Places& b) {
  return std::any_of(a.begin(), a.end(), [&](std::size_t place) { return contains(b, place); });
}

/// Extends `chosen` by at most `more` places until it meets every set.
bool extend(Places& chosen, const std::vector<Places>& sets, std::size_t more) {
  const auto missed = std::find_if(sets.begin(), sets.end(),
                                   [&](const Places& set) { return !meets(set, chosen); });
  if (missed == sets.end()) return true;
  if (more == 0) return false;
  for (const std::size_t place : *missed) {
    chosen.push_back(place);
    if (extend(chosen, sets, more - 1)) return true;
    chosen.pop_back();
  }
  return false;
}

Places smallest_hitting_set(const std::vector<Places>& sets) {
  for (std::size_t size = 0;; ++size) {
    Places chosen;
    if (extend(chosen, sets, size)) return chosen;
  }
}

}  // namespace

std::vector<std::size_t> smallest_conflict(
    std::size_t count, const std::function<bool(const std::vector<std::size_t>&)>& possible) {
  std::vector<Places> complements;
  for (;;) {
    Places set = smallest_hitting_set(complements);
    std::sort(set.begin(), set.end());
    if (!possible(set)) return set;
    Places rest;
    for (std::size_t place = 0; place < count; ++place) {
      if (contains(set, place)) continue;
      set.push_back(place);
      if (!possible(set)) {
        set.pop_back();
        rest.push_back(place);
      }
    }
    complements.push_back(std::move(rest));
  }
}

}  // namespace smelt
