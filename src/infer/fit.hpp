#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "infer/keys_range.hpp"
#include "infer/row_forms.hpp"
#include "smelt/infer.hpp"

namespace smelt {

/// A table made ready: its families numbered, its counts as forms.
class FitTable {
 public:
  /// `table` and `domain` outlive this.
  FitTable(const PrintedTable& table, const InferDomain& domain, const Convention& convention);

  [[nodiscard]] const PrintedRow& row(std::size_t index) const { return table_->rows[index]; }
  [[nodiscard]] std::size_t num_rows() const { return table_->rows.size(); }
  [[nodiscard]] const InferDomain& domain() const { return *domain_; }
  [[nodiscard]] std::size_t family(std::size_t row) const { return families_[row]; }
  [[nodiscard]] const std::vector<std::string>& family_names() const { return names_; }
  [[nodiscard]] const RowForms& forms(std::size_t row, const InferredGeometry& geometry) const {
    return forms_[row].at({geometry.matrices, geometry.shared_experts});
  }

 private:
  using Choice = std::pair<std::int64_t, std::int64_t>;  // matrices, shared experts
  const PrintedTable* table_;
  const InferDomain* domain_;
  std::vector<std::size_t> families_;
  std::vector<std::string> names_;
  std::vector<std::map<Choice, RowForms>> forms_;
};

/// A printed figure by the place of its row.
struct FigureId {
  std::size_t row = 0;
  PrintedKind kind = PrintedKind::kActiveParams;
  /// Asks nothing of its own row's geometry; says only what others' sparsity is measured against.
  bool of_control = false;

  // NOLINTNEXTLINE(modernize-use-nullptr, readability-implicit-bool-conversion)
  friend auto operator<=>(const FigureId&, const FigureId&) = default;
};

/// Geometries by the number of their family.
using Geometries = std::map<std::size_t, InferredGeometry>;

/// A geometry for each family of a fit and the attended keys at which all figures round as printed.
struct Assignment {
  Geometries geometries;
  KeysRange keys;
};

/// left <= right, for the attended keys. Neither side falls as an F grows, so the left at the
/// smallest F and the right at the largest is what may hold for some F between them.
struct Condition {
  std::function<KeysLine(const Geometries&)> left;
  std::function<KeysLine(const Geometries&)> right;
};

/// The figures of some rows as conditions on the geometries of their families.
class Fit {
 public:
  /// Whether the search goes on.
  using Visitor = std::function<bool(const Assignment&)>;

  /// Each figure listed makes its condition. `table` outlives this.
  Fit(const FitTable& table, const std::vector<FigureId>& figures);

  /// The numbers of the families whose geometries are looked for.
  [[nodiscard]] const std::vector<std::size_t>& families() const { return families_; }

  /// Visits every assignment with FFNs of so many matrices and attended keys within `keys`, until
  /// a visit ends the search; whether it came to its end.
  bool search(std::int64_t matrices, const KeysRange& keys, const Visitor& visit);

 private:
  /// Geometries that differ in F alone, which runs from lowest to highest in the domain's steps.
  struct Strip {
    InferredGeometry geometry;
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
  };

  [[nodiscard]] std::vector<Strip> strips(std::size_t family, std::int64_t matrices) const;
  [[nodiscard]] StepRange query_widths(std::size_t family) const;
  /// Leaves the F that parameters allow; whether there is one.
  [[nodiscard]] bool bound_ffn(std::size_t family, Strip& strip) const;
  bool choose_strip(std::size_t depth, const KeysRange& keys, const Visitor& visit);
  bool choose_ffn(std::size_t depth, const KeysRange& keys, const Visitor& visit);
  /// By the conditions whose last family is the one at `depth`.
  [[nodiscard]] KeysRange narrowed(std::size_t depth, KeysRange keys) const;

  const FitTable& table_;
  std::vector<FigureId> figures_;
  std::vector<std::size_t> families_;               // in the order of choice
  std::vector<std::vector<Condition>> conditions_;  // by the depth at which all families are chosen

  std::vector<std::vector<Strip>> strips_;  // by depth
  std::vector<const Strip*> chosen_;
  Geometries lowest_;   // with the smallest F still open
  Geometries highest_;  // with the largest
};

}  // namespace smelt
