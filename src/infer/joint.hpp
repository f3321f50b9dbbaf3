#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "infer/solutions.hpp"

namespace smelt {

/// Families that ratios or a control link, and those of their rows that are to fit together.
struct LinkedFamilies {
  std::set<std::size_t> families;
  std::vector<std::size_t> rows;
  std::vector<FigureId> figures;
  Solutions solutions;
};

struct JointSolution {
  std::vector<LinkedFamilies> groups;
  std::optional<KeysRange> keys;  ///< as InferResult::keys
};

/// Solves each group of linked families by itself, then all groups that can be solved with one
/// kind of FFN and one number of attended keys; where these have none in common, each keeps its
/// own. `fits[row]` says whether a row takes part.
JointSolution solve_jointly(const FitTable& table, const std::vector<bool>& fits);

}  // namespace smelt
