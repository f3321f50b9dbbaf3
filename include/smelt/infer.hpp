#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/convention.hpp"
#include "smelt/count.hpp"
#include "smelt/printed_table.hpp"

namespace smelt {

/// Multiples of a step within bounds; an absent bound is what InferDomain says.
struct StepRange {
  std::int64_t multiple_of = 1;
  std::optional<std::int64_t> lowest;  ///< absent: the step itself
  std::optional<std::int64_t> highest;
};

/// Matrices of a gated FFN; a plain one has 2.
inline constexpr std::int64_t kGatedMatrices = 3;

/// The declared values of what is inferred, searched completely.
struct InferDomain {
  StepRange expert_ffn{8, {}, {}};  ///< F; highest absent: 8 H
  /// W = n_kv d, a divisor of the query width, as n_kv divides n_q; highest absent: query width.
  StepRange kv_width{4, {}, {}};
  std::optional<StepRange> query_width;      ///< Q = n_q d; absent: H
  std::vector<std::int64_t> matrices{3, 2};  ///< of an FFN: 3 gated, 2 plain
  std::int64_t most_shared_experts = 2;      ///< n_s from 0 up, each of width F
  std::int64_t lowest_keys = 1;              ///< mean attended keys, whole numbers
  std::int64_t highest_keys = 1'000'000;
};

/// What a publication leaves out of a model's shape.
struct InferredGeometry {
  std::int64_t expert_ffn = 0;   ///< F
  std::int64_t kv_width = 0;     ///< W = n_kv d
  std::int64_t query_width = 0;  ///< Q = n_q d
  std::int64_t matrices = 0;     ///< of an FFN: 3 gated, 2 plain
  std::int64_t shared_experts = 0;

  [[nodiscard]] bool gated() const { return matrices == kGatedMatrices; }
  friend auto operator<=>(const InferredGeometry&,
                          const InferredGeometry&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Whole numbers from lowest to highest; empty where lowest is above highest.
struct KeysRange {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;

  [[nodiscard]] bool empty() const { return lowest > highest; }
  friend bool operator==(const KeysRange&, const KeysRange&) = default;
};

/// A geometry, and from which to which mean number of attended keys it has all printed figures.
struct InferredSolution {
  InferredGeometry geometry;
  KeysRange keys;
};

/// A printed figure by its row.
struct PrintedPlace {
  std::string row;
  PrintedKind kind = PrintedKind::kActiveParams;
  std::string printed;
};

/// What fits a set of rows.
struct InferFinding {
  std::string name;                         ///< of the row, or of the family
  std::vector<std::string> rows;            ///< whose figures were used, references left out
  std::vector<std::string> left_out;        ///< rows of the family that fit nothing even alone
  std::vector<InferredSolution> solutions;  ///< ascending; all of them where `complete`
  bool complete = true;                     ///< false: kMostAssignments ended the search
  /// Where nothing fits: a smallest set of figures that no geometry has together.
  std::vector<PrintedPlace> conflicts;
};

/// "unique", "several" or "none".
std::string_view finding_status(const InferFinding& finding);

/// Combinations of geometries looked at before a search for all solutions gives up.
inline constexpr std::int64_t kMostAssignments = 100'000;

struct InferResult {
  std::string source;
  InferDomain domain;
  Convention convention;
  std::vector<InferFinding> rows;  ///< each with no more than the rows that it refers to
  /// Each with all rows of its family and of those that it is linked to by ratios. FFN kind and
  /// attended keys are the whole table's.
  std::vector<InferFinding> families;
  /// The attended keys that leave every family a solution; absent where none do. A search that is
  /// not complete narrows them no further.
  std::optional<KeysRange> keys;

  /// Whether every row and every family has a solution.
  [[nodiscard]] bool all_fit() const;
};

/// A result and how much of it is shown.
struct InferReport {
  InferResult result;
  /// Solutions of each row and family; absent: 3 in a document, 1000 in JSON.
  std::optional<std::int64_t> top;
};

/// Every geometry of the domain at which all figures round to what is printed, in exact arithmetic.
/// Throws InputError for a row without figures and where the convention asks for what the table
/// does not say, CountOverflow where a bound passes 128 bits.
InferResult infer_geometry(const PrintedTable& table, const InferDomain& domain,
                           const Convention& convention);

}  // namespace smelt
