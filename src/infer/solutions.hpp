#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "infer/fit.hpp"
#include "smelt/infer.hpp"

namespace smelt {

/// What a search found, by the number of the family.
struct Solutions {
  /// Each with the least range that holds all its attended keys.
  std::map<std::size_t, std::map<InferredGeometry, KeysRange>> families;
  std::optional<KeysRange> keys;  ///< the least range that holds those of all; absent: no solution
  bool complete = true;
};

/// Adds those found for another kind of FFN.
void merge(Solutions& into, const Solutions& from);

KeysRange hull(const KeysRange& a, const KeysRange& b);
/// The attended keys of the domain.
KeysRange all_keys(const InferDomain& domain);

/// The row, the row that its ratios are over, and the one that its control's ratio is over.
std::vector<std::size_t> companions(const FitTable& table, std::size_t row);

/// The figures of some rows, and those of their controls that sparsity is measured against.
std::vector<FigureId> figures_of(const FitTable& table, const std::vector<std::size_t>& rows);

/// All solutions with FFNs of so many matrices, at most kMostAssignments looked at.
Solutions solve_figures(const FitTable& table, const std::vector<FigureId>& figures,
                        std::int64_t matrices, const KeysRange& keys);

/// A smallest set of the figures, which fit nothing together, that fits nothing already.
std::vector<PrintedPlace> smallest_clash(const FitTable& table,
                                         const std::vector<FigureId>& figures);

}  // namespace smelt
