#include "smelt/infer.hpp"

#include <algorithm>
#include <utility>

#include "infer/fit.hpp"
#include "infer/joint.hpp"
#include "infer/solutions.hpp"
#include "smelt/error.hpp"

namespace smelt {
namespace {

void set_solutions(InferFinding& finding, const Solutions& all, std::size_t family) {
  finding.complete = all.complete;
  const auto found = all.families.find(family);
  if (found == all.families.end()) return;
  for (const auto& [geometry, keys] : found->second) finding.solutions.push_back({geometry, keys});
}

InferFinding find_alone(const FitTable& table, std::size_t row) {
  InferFinding finding;
  finding.name = table.row(row).name;
  finding.rows = {finding.name};
  const std::vector<FigureId> figures = figures_of(table, companions(table, row));
  Solutions all;
  for (const std::int64_t matrices : table.domain().matrices) {
    merge(all, solve_figures(table, figures, matrices, all_keys(table.domain())));
  }
  set_solutions(finding, all, table.family(row));
  if (finding.solutions.empty()) finding.conflicts = smallest_clash(table, figures);
  return finding;
}

/// A family's part of its group. Where all its rows are left out, it has the conflicts of the
/// first.
InferFinding family_finding(const FitTable& table, const std::vector<InferFinding>& rows,
                            const LinkedFamilies& group, std::size_t family,
                            const std::vector<PrintedPlace>& clash) {
  InferFinding finding;
  finding.name = table.family_names()[family];
  const InferFinding* first_left_out = nullptr;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    if (table.family(row) != family) continue;
    const bool fits = !rows[row].solutions.empty();
    (fits ? finding.rows : finding.left_out).push_back(rows[row].name);
    if (!fits && first_left_out == nullptr) first_left_out = &rows[row];
  }
  if (finding.rows.empty()) {
    if (first_left_out != nullptr) finding.conflicts = first_left_out->conflicts;
    return finding;
  }
  set_solutions(finding, group.solutions, family);
  finding.conflicts = clash;
  return finding;
}

void require_figures(const PrintedTable& table) {
  Mistakes mistakes;
  for (const PrintedRow& row : table.rows) {
    if (row.figures.empty()) mistakes.add(row.name, "has no figure", "at least one to infer from");
  }
  mistakes.throw_if_any();
}

}  // namespace

std::string_view finding_status(const InferFinding& finding) {
  if (finding.solutions.empty()) return "none";
  return finding.solutions.size() == 1 && finding.complete ? "unique" : "several";
}

bool InferResult::all_fit() const {
  const auto fits = [](const InferFinding& finding) { return !finding.solutions.empty(); };
  return std::all_of(rows.begin(), rows.end(), fits) &&
         std::all_of(families.begin(), families.end(), fits);
}

InferResult infer_geometry(const PrintedTable& table, const InferDomain& domain,
                           const Convention& convention) {
  require_figures(table);
  const FitTable fit_table(table, domain, convention);
  InferResult result{table.source, domain, convention, {}, {}, {}};
  std::vector<bool> fits;
  for (std::size_t row = 0; row < fit_table.num_rows(); ++row) {
    result.rows.push_back(find_alone(fit_table, row));
    fits.push_back(!result.rows.back().solutions.empty());
  }
  const JointSolution joint = solve_jointly(fit_table, fits);
  result.keys = joint.keys;
  for (const LinkedFamilies& group : joint.groups) {
    std::vector<PrintedPlace> clash;
    if (!group.rows.empty() && !group.solutions.keys)
      clash = smallest_clash(fit_table, group.figures);
    for (const std::size_t family : group.families) {
      result.families.push_back(family_finding(fit_table, result.rows, group, family, clash));
    }
  }
  return result;
}

}  // namespace smelt
