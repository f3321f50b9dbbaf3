#include "infer/joint.hpp"

#include <algorithm>
#include <utility>

namespace smelt {
namespace {

using Groups = std::vector<LinkedFamilies>;

bool overlap(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::size_t each) { return b.contains(each); });
}

/// The partition of the families under "a row of one refers to a row of the other".
Groups linked_families(const FitTable& table) {
  Groups groups;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    LinkedFamilies joined;
    for (const std::size_t each : companions(table, row)) {
      joined.families.insert(table.family(each));
    }
    for (auto it = groups.begin(); it != groups.end();) {
      const bool linked = overlap(it->families, joined.families);
      if (linked) joined.families.insert(it->families.begin(), it->families.end());
      it = linked ? groups.erase(it) : it + 1;
    }
    groups.push_back(std::move(joined));
  }
  return groups;
}

/// Adds to each group its solutions with FFNs of so many matrices, if there is a number of attended
/// keys that leaves every group one.
void add_shared(const FitTable& table, std::int64_t matrices, Groups& groups,
                std::optional<KeysRange>& shared_keys) {
  KeysRange keys = all_keys(table.domain());
  std::vector<Solutions> found(groups.size());
  for (KeysRange before{1, 0}; !keys.empty() && !(before == keys);) {
    before = keys;
    for (std::size_t i = 0; i < groups.size() && !keys.empty(); ++i) {
      found[i] = solve_figures(table, groups[i].figures, matrices, keys);
      if (found[i].complete) keys = found[i].keys.value_or(KeysRange{1, 0});
    }
  }
  if (groups.empty() || keys.empty()) return;
  for (std::size_t i = 0; i < groups.size(); ++i) merge(groups[i].solutions, found[i]);
  shared_keys = shared_keys ? hull(*shared_keys, keys) : keys;
}

}  // namespace

JointSolution solve_jointly(const FitTable& table, const std::vector<bool>& fits) {
  JointSolution joint{linked_families(table), std::nullopt};
  const std::vector<std::int64_t>& kinds = table.domain().matrices;
  Groups shared;
  for (LinkedFamilies& group : joint.groups) {
    for (std::size_t row = 0; row < table.num_rows(); ++row) {
      if (fits[row] && group.families.contains(table.family(row))) group.rows.push_back(row);
    }
    group.figures = figures_of(table, group.rows);
    shared.push_back(group);
    for (const std::int64_t matrices : kinds) {
      merge(group.solutions,
            solve_figures(table, group.figures, matrices, all_keys(table.domain())));
    }
    if (group.rows.empty() || !group.solutions.keys) shared.pop_back();
  }
  for (const std::int64_t matrices : kinds) add_shared(table, matrices, shared, joint.keys);
  if (!joint.keys) return joint;
  for (LinkedFamilies& each : shared) {
    const auto own =
        std::find_if(joint.groups.begin(), joint.groups.end(),
                     [&](const LinkedFamilies& group) { return group.families == each.families; });
    *own = std::move(each);
  }
  return joint;
}

}  // namespace smelt
