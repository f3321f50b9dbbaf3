#include "infer/fit.hpp"

#include <algorithm>
#include <cassert>

#include "infer/conditions.hpp"

namespace smelt {
namespace {

/// The multiples of a range's step from `lowest` to `highest` as the first and the last; the first
/// is above the last where there are none.
std::pair<std::int64_t, std::int64_t> multiples(const StepRange& range, std::int64_t highest) {
  const std::int64_t step = range.multiple_of;
  return {ceil_div(range.lowest.value_or(step), step) * step,
          floor_div(range.highest.value_or(highest), step) * step};
}

/// The divisors of `number`, ascending.
std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t part = 1; part <= number / part; ++part) {
    if (number % part != 0) continue;
    small.push_back(part);
    if (part != number / part) large.push_back(number / part);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

constexpr std::int64_t kMostFfnRatio = 8;  // F / H where no bound is given

}  // namespace

FitTable::FitTable(const PrintedTable& table, const InferDomain& domain,
                   const Convention& convention)
    : table_(&table), domain_(&domain) {
  for (const PrintedRow& row : table.rows) {
    const auto known = std::find(names_.begin(), names_.end(), row.family);
    families_.push_back(static_cast<std::size_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(row.family);
    std::map<Choice, RowForms>& forms = forms_.emplace_back();
    for (const std::int64_t matrices : domain.matrices) {
      for (std::int64_t shared = 0; shared <= domain.most_shared_experts; ++shared) {
        forms[{matrices, shared}] = row_forms(row, matrices, shared, convention);
      }
    }
  }
}

Fit::Fit(const FitTable& table, const std::vector<FigureId>& figures)
    : table_(table), figures_(figures) {
  const std::vector<FamilyCondition> made = conditions_of(table, figures);
  const auto depth_of = [&](std::size_t family) {
    const auto known = std::find(families_.begin(), families_.end(), family);
    if (known != families_.end()) return static_cast<std::size_t>(known - families_.begin());
    families_.push_back(family);
    return families_.size() - 1;
  };
  for (const FigureId& id : figures) {
    if (!id.of_control) depth_of(table.family(id.row));
  }
  for (const FamilyCondition& each : made) {
    std::size_t depth = 0;
    for (const std::size_t family : each.families) depth = std::max(depth, depth_of(family));
    conditions_.resize(std::max(conditions_.size(), depth + 1));
    conditions_[depth].push_back(each.condition);
  }
  conditions_.resize(families_.size());
}

bool Fit::search(std::int64_t matrices, const KeysRange& keys, const Visitor& visit) {
  strips_.clear();
  for (const std::size_t family : families_) {
    strips_.push_back(strips(family, matrices));
    if (strips_.back().empty()) return true;
  }
  chosen_.assign(families_.size(), nullptr);
  return choose_strip(0, keys, visit);
}

StepRange Fit::query_widths(std::size_t family) const {
  const InferDomain& domain = table_.domain();
  std::size_t row = 0;
  while (table_.family(row) != family) ++row;
  const std::int64_t hidden = table_.row(row).hidden_size;
  StepRange range = domain.query_width.value_or(StepRange{1, hidden, hidden});
  range.highest = range.highest.value_or(2 * hidden);
  return range;
}

std::vector<Fit::Strip> Fit::strips(std::size_t family, std::int64_t matrices) const {
  const InferDomain& domain = table_.domain();
  const StepRange widths = query_widths(family);
  std::vector<Strip> list;
  for (std::int64_t shared = 0; shared <= domain.most_shared_experts; ++shared) {
    const auto [first, last] = multiples(widths, *widths.highest);
    for (std::int64_t query = first; query <= last; query += widths.multiple_of) {
      const auto [lowest, highest] = multiples(domain.kv_width, query);
      for (const std::int64_t kv : divisors(query)) {
        if (kv < lowest || kv > highest || kv % domain.kv_width.multiple_of != 0) continue;
        Strip strip{{0, kv, query, matrices, shared}, 0, 0};
        if (bound_ffn(family, strip)) list.push_back(strip);
      }
    }
  }
  return list;
}

bool Fit::bound_ffn(std::size_t family, Strip& strip) const {
  const StepRange& range = table_.domain().expert_ffn;
  std::int64_t lowest = range.lowest.value_or(range.multiple_of);
  std::int64_t highest = range.highest.value_or(0);
  for (std::size_t row = 0; row < table_.num_rows(); ++row) {
    if (table_.family(row) != family) continue;
    if (!range.highest) highest = std::max(highest, kMostFfnRatio * table_.row(row).hidden_size);
  }
  for (const FigureId& id : figures_) {
    const bool is_active = id.kind == PrintedKind::kActiveParams;
    const bool is_params = is_active || id.kind == PrintedKind::kTotalParams;
    if (id.of_control || !is_params || table_.family(id.row) != family) continue;
    const RowForms& forms = table_.forms(id.row, strip.geometry);
    const CountForm& form = is_active ? forms.active : forms.total;
    const PrintedFigure& figure = *table_.row(id.row).find(id.kind);
    const Int128 base = form.at(strip.geometry).a;  // F is still 0
    const auto over = [&](const Rational& bound) {
      return checked_difference(bound.num(), checked_product(base, bound.den()));
    };
    const auto per_ffn = [&](const Rational& bound) { return form.per_ffn * bound.den(); };
    lowest = std::max(lowest, ceil_div(over(figure.lowest), per_ffn(figure.lowest)));
    highest = std::min(highest, floor_div(over(figure.highest), per_ffn(figure.highest)));
  }
  const auto [first, last] = multiples({range.multiple_of, lowest, highest}, highest);
  strip.lowest = first;
  strip.highest = last;
  return first <= last;
}

KeysRange Fit::narrowed(std::size_t depth, KeysRange keys) const {
  for (const Condition& condition : conditions_[depth]) {
    if (keys.empty()) break;
    keys = where_not_above(condition.left(lowest_), condition.right(highest_), keys);
  }
  return keys;
}

bool Fit::choose_strip(std::size_t depth, const KeysRange& keys, const Visitor& visit) {
  if (depth == families_.size()) return choose_ffn(0, keys, visit);
  for (const Strip& strip : strips_[depth]) {
    chosen_[depth] = &strip;
    lowest_[families_[depth]] = highest_[families_[depth]] = strip.geometry;
    lowest_[families_[depth]].expert_ffn = strip.lowest;
    highest_[families_[depth]].expert_ffn = strip.highest;
    const KeysRange left = narrowed(depth, keys);
    if (!left.empty() && !choose_strip(depth + 1, left, visit)) return false;
  }
  return true;
}

bool Fit::choose_ffn(std::size_t depth, const KeysRange& keys, const Visitor& visit) {
  if (depth == families_.size()) return visit({lowest_, keys});
  InferredGeometry& lowest = lowest_[families_[depth]];
  InferredGeometry& highest = highest_[families_[depth]];
  const Strip& strip = *chosen_[depth];
  bool goes_on = true;
  for (std::int64_t ffn = strip.lowest; goes_on && ffn <= strip.highest;
       ffn += table_.domain().expert_ffn.multiple_of) {
    lowest.expert_ffn = highest.expert_ffn = ffn;
    const KeysRange left = narrowed(depth, keys);
    if (!left.empty()) goes_on = choose_ffn(depth + 1, left, visit);
  }
  lowest.expert_ffn = strip.lowest;
  highest.expert_ffn = strip.highest;
  return goes_on;
}

}  // namespace smelt
