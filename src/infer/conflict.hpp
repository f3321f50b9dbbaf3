#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace smelt {

/// The places of a smallest set of items that cannot hold together, ascending, out of `count`
/// that do not. `possible` says whether a set of places can; what a set can, its subsets can too.
/// Exact, by implicit hitting sets: a set that cannot hold shares an item with the complement of
/// every set that can, so the smallest set that meets all complements found so far is tried next
/// (Ignatiev et al., "Smallest MUS Extraction with Minimal Hitting Set Dualization", CP 2015).
std::vector<std::size_t> smallest_conflict(
    std::size_t count, const std::function<bool(const std::vector<std::size_t>&)>& possible);

}  // namespace smelt
