#include "infer/solutions.hpp"

#include <algorithm>
#include <set>

#include "infer/conflict.hpp"

namespace smelt {
namespace {

void add_assignment(Solutions& solutions, const Assignment& assignment) {
  solutions.keys = solutions.keys ? hull(*solutions.keys, assignment.keys) : assignment.keys;
  for (const auto& [family, geometry] : assignment.geometries) {
    const auto [known, is_new] = solutions.families[family].emplace(geometry, assignment.keys);
    if (!is_new) known->second = hull(known->second, assignment.keys);
  }
}

bool possible(const FitTable& table, const std::vector<FigureId>& figures) {
  const InferDomain& domain = table.domain();
  return std::any_of(domain.matrices.begin(), domain.matrices.end(), [&](std::int64_t matrices) {
    const auto stop = [](const Assignment&) { return false; };
    return !Fit(table, figures).search(matrices, all_keys(domain), stop);
  });
}

/// The same figure, whatever it is used for.
FigureId as_printed(const FigureId& id) { return {id.row, id.kind, false}; }

}  // namespace

void merge(Solutions& into, const Solutions& from) {
  for (const auto& [family, list] : from.families) {
    into.families[family].insert(list.begin(), list.end());
  }
  if (from.keys) into.keys = into.keys ? hull(*into.keys, *from.keys) : from.keys;
  into.complete = into.complete && from.complete;
}

KeysRange hull(const KeysRange& a, const KeysRange& b) {
  return {std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
}

KeysRange all_keys(const InferDomain& domain) { return {domain.lowest_keys, domain.highest_keys}; }

std::vector<std::size_t> companions(const FitTable& table, std::size_t row) {
  std::vector<std::size_t> rows = {row};
  const PrintedRow& printed = table.row(row);
  if (printed.relative_to) rows.push_back(*printed.relative_to);
  if (printed.control && table.row(*printed.control).relative_to) {
    rows.push_back(*table.row(*printed.control).relative_to);
  }
  return rows;
}

std::vector<FigureId> figures_of(const FitTable& table, const std::vector<std::size_t>& rows) {
  std::set<FigureId> figures;
  for (const std::size_t row : rows) {
    for (const PrintedFigure& figure : table.row(row).figures) {
      figures.insert({row, figure.kind, false});
    }
    const std::optional<std::size_t> control = table.row(row).control;
    if (!control || *control == row) continue;
    for (const PrintedKind kind :
         {PrintedKind::kTotalParams, PrintedKind::kFlops, PrintedKind::kFlopsRatio}) {
      if (table.row(*control).find(kind) != nullptr) figures.insert({*control, kind, true});
    }
  }
  return {figures.begin(), figures.end()};
}

Solutions solve_figures(const FitTable& table, const std::vector<FigureId>& figures,
                        std::int64_t matrices, const KeysRange& keys) {
  Solutions solutions;
  std::int64_t visited = 0;
  solutions.complete = Fit(table, figures).search(matrices, keys, [&](const Assignment& found) {
    add_assignment(solutions, found);
    return ++visited < kMostAssignments;
  });
  return solutions;
}

std::vector<PrintedPlace> smallest_clash(const FitTable& table,
                                         const std::vector<FigureId>& figures) {
  std::set<FigureId> distinct;
  for (const FigureId& id : figures) distinct.insert(as_printed(id));
  const std::vector<FigureId> printed(distinct.begin(), distinct.end());
  const auto places =
      smallest_conflict(printed.size(), [&](const std::vector<std::size_t>& chosen) {
        std::set<FigureId> kept;
        for (const std::size_t place : chosen) kept.insert(printed[place]);
        std::vector<FigureId> some;
        for (const FigureId& id : figures) {
          if (kept.contains(as_printed(id))) some.push_back(id);
        }
        return possible(table, some);
      });
  std::vector<PrintedPlace> list;
  for (const std::size_t place : places) {
    const FigureId& id = printed[place];
    const PrintedRow& row = table.row(id.row);
    list.push_back({row.name, id.kind, row.find(id.kind)->printed});
  }
  return list;
}

}  // namespace smelt
