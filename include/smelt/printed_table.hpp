#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/loop.hpp"
#include "smelt/rational.hpp"

namespace smelt {

/// What a publication prints of a model.
enum class PrintedKind {
  kActiveParams,  ///< non-embedding, k experts in place of E, one traversal
  kTotalParams,   ///< non-embedding, everything stored
  kFlops,         ///< training FLOPs per token
  kSparsity,      ///< compute-equivalent sparsity, a fraction
  kFlopsRatio,    ///< training FLOPs over another row's
  kKvRatio,       ///< KV elements over another row's
};

/// The key of a kind in a table file: "active_params", "flops_ratio".
std::string_view printed_kind_name(PrintedKind kind);

/// The values that round to a printed figure, both ends included: at a tie a publication may have
/// rounded either way.
struct PrintedFigure {
  PrintedKind kind = PrintedKind::kActiveParams;
  std::string printed;  ///< as it stands in the publication, with its unit
  Rational lowest;
  Rational highest;

  friend bool operator==(const PrintedFigure&, const PrintedFigure&) = default;
};

/// A figure from its digits: "0.10B" is 0.095e9 to 0.105e9, "1.33e9" is 1.325e9 to 1.335e9, "94.7%"
/// is 0.9465 to 0.9475. Throws InputError at `where`.
PrintedFigure printed_figure(PrintedKind kind, std::string_view text, std::string_view where);

/// A model of the publication: what is known of its shape, and its figures.
struct PrintedRow {
  std::string name;
  std::string family;  ///< rows of one family share all that is inferred
  std::int64_t hidden_size = 0;
  std::int64_t num_layers = 0;
  std::int64_t num_experts = 0;          ///< E; 0 for a dense model, whose FFN width is then F
  std::int64_t num_experts_per_tok = 0;  ///< k
  std::optional<LoopSpan> loop;
  std::vector<PrintedFigure> figures;      ///< at most one of a kind
  std::optional<std::size_t> relative_to;  ///< the row that the ratios are over
  /// The row whose printed figures sparsity is measured against, the row itself included; absent:
  /// the same model with E = k.
  std::optional<std::size_t> control;

  /// Null where it is not printed.
  [[nodiscard]] const PrintedFigure* find(PrintedKind kind) const;
};

struct PrintedTable {
  std::string source;
  std::vector<PrintedRow> rows;
};

}  // namespace smelt
