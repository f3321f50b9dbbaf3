#include "infer/conditions.hpp"

#include <algorithm>
#include <utility>

namespace smelt {
namespace {

using Line = std::function<KeysLine(const Geometries&)>;

/// Makes the conditions of one list of figures.
class Maker {
 public:
  Maker(const FitTable& table, const std::vector<FigureId>& figures)
      : table_(table), figures_(figures) {}

  std::vector<FamilyCondition> make() {
    for (const FigureId& id : figures_) {
      const PrintedRow& row = table_.row(id.row);
      const PrintedFigure& figure = *row.find(id.kind);
      if (id.of_control) continue;
      switch (id.kind) {
        case PrintedKind::kActiveParams:
          within(figure, id.row, params(id.row, &RowForms::active));
          break;
        case PrintedKind::kTotalParams:
          within(figure, id.row, params(id.row, &RowForms::total));
          break;
        case PrintedKind::kFlops:
          within(figure, id.row, params(id.row, &RowForms::flops));
          break;
        case PrintedKind::kFlopsRatio:
          ratio_within(figure, id.row, &Maker::flops);
          break;
        case PrintedKind::kKvRatio:
          ratio_within(figure, id.row, &Maker::kv);
          break;
        case PrintedKind::kSparsity:
          sparsity_within(figure, id.row);
          break;
      }
    }
    return std::move(made_);
  }

 private:
  using LineOf = Line (Maker::*)(std::size_t) const;

  /// A control's figure; null where it is not printed or not listed.
  [[nodiscard]] const PrintedFigure* listed(std::size_t row, PrintedKind kind) const {
    const bool is_listed =
        std::find(figures_.begin(), figures_.end(), FigureId{row, kind, true}) != figures_.end();
    return is_listed ? table_.row(row).find(kind) : nullptr;
  }

  [[nodiscard]] Line params(std::size_t row, CountForm RowForms::*form) const {
    return [this_table = &table_, row, form](const Geometries& geometries) {
      const InferredGeometry& geometry = geometries.at(this_table->family(row));
      return (this_table->forms(row, geometry).*form).at(geometry);
    };
  }
  [[nodiscard]] Line flops(std::size_t row) const { return params(row, &RowForms::flops); }
  [[nodiscard]] Line kv(std::size_t row) const {
    return [this_table = &table_, row](const Geometries& geometries) {
      const InferredGeometry& geometry = geometries.at(this_table->family(row));
      return KeysLine{Int128{this_table->forms(row, geometry).kv_per_width} * geometry.kv_width, 0};
    };
  }

  static Line constant(Int128 value) {
    return [value](const Geometries&) { return KeysLine{value, 0}; };
  }
  static Line times(Line line, Int128 factor) {
    return [line = std::move(line), factor](const Geometries& g) { return line(g) * factor; };
  }
  /// `count`, which does not depend on the keys, times `line`.
  static Line product(Line count, Line line) {
    return [count = std::move(count), line = std::move(line)](const Geometries& g) {
      return line(g) * count(g).a;
    };
  }

  /// a x left <= b x right, on the families of two rows.
  void not_above(const Rational& a, Line left, const Rational& b, Line right, std::size_t row,
                 std::size_t other) {
    made_.push_back({{table_.family(row), table_.family(other)},
                     {times(std::move(left), Int128{a.num()} * b.den()),
                      times(std::move(right), Int128{b.num()} * a.den())}});
  }

  void within(const PrintedFigure& figure, std::size_t row, const Line& count) {
    not_above(figure.lowest, constant(1), 1, count, row, row);
    not_above(1, count, figure.highest, constant(1), row, row);
  }

  void ratio_within(const PrintedFigure& figure, std::size_t row, LineOf line) {
    const std::size_t other = *table_.row(row).relative_to;
    not_above(figure.lowest, (this->*line)(other), 1, (this->*line)(row), row, other);
    not_above(1, (this->*line)(row), figure.highest, (this->*line)(other), row, other);
  }

  /// S = 1 - (F / F_0) (N_0 / N), so 1 - highest <= F N_0 / (F_0 N) <= 1 - lowest.
  void sparsity_within(const PrintedFigure& figure, std::size_t row) {
    const std::optional<std::size_t> control = table_.row(row).control;
    if (!control) {
      const Line active = product(params(row, &RowForms::control_total), flops(row));
      const Line stored =
          product(params(row, &RowForms::total), params(row, &RowForms::control_flops));
      not_above(least_share(figure), stored, 1, active, row, row);
      not_above(1, active, most_share(figure), stored, row, row);
    } else if (*control == row) {
      // Against itself a row has S = 0.
      not_above(figure.lowest, constant(1), 0, constant(1), row, row);
    } else {
      against_printed_control(figure, row, *control);
      against_same_control(figure, row, *control);
    }
  }

  /// Bounds of 1 - S.
  static Rational most_share(const PrintedFigure& sparsity) {
    return std::max(Rational(0), Rational(1) - sparsity.lowest);
  }
  static Rational least_share(const PrintedFigure& sparsity) {
    return std::max(Rational(0), Rational(1) - sparsity.highest);
  }

  /// The control's own figures bound N_0 and F_0.
  void against_printed_control(const PrintedFigure& figure, std::size_t row, std::size_t control) {
    const PrintedFigure* const total = listed(control, PrintedKind::kTotalParams);
    const PrintedFigure* const ratio = listed(control, PrintedKind::kFlopsRatio);
    const PrintedFigure* const given = listed(control, PrintedKind::kFlops);
    if (total == nullptr || (ratio == nullptr && given == nullptr)) return;
    const std::size_t other = ratio != nullptr ? *table_.row(control).relative_to : row;
    const Line unit = ratio != nullptr ? flops(other) : constant(1);
    const PrintedFigure& bounds = ratio != nullptr ? *ratio : *given;
    const Line stored = params(row, &RowForms::total);
    const Line full = product(stored, unit);
    // (1 - S_high) N F_0,low <= N_0,high F and N_0,low F <= (1 - S_low) N F_0,high
    not_above(least_share(figure) * bounds.lowest, full, total->highest, flops(row), row, other);
    not_above(total->lowest, flops(row), most_share(figure) * bounds.highest, full, row, other);
  }

  /// All rows of one control share its N_0 / F_0.
  void against_same_control(const PrintedFigure& figure, std::size_t row, std::size_t control) {
    for (const FigureId& other : figures_) {
      if (other.kind != PrintedKind::kSparsity || other.row == row ||
          table_.row(other.row).control != control || other.row == control) {
        continue;
      }
      const PrintedFigure& its = *table_.row(other.row).find(other.kind);
      const Line left = product(params(row, &RowForms::total), flops(other.row));
      const Line right = product(params(other.row, &RowForms::total), flops(row));
      not_above(least_share(figure), left, most_share(its), right, row, other.row);
    }
  }

  const FitTable& table_;
  const std::vector<FigureId>& figures_;
  std::vector<FamilyCondition> made_;
};

}  // namespace

std::vector<FamilyCondition> conditions_of(const FitTable& table,
                                           const std::vector<FigureId>& figures) {
  return Maker(table, figures).make();
}

}  // namespace smelt
