#include "smelt/printed_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/enum_names.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

constexpr EnumNames<PrintedKind, 6> kNames = {{{{PrintedKind::kActiveParams, "active_params"},
                                                {PrintedKind::kTotalParams, "total_params"},
                                                {PrintedKind::kFlops, "flops"},
                                                {PrintedKind::kSparsity, "sparsity"},
                                                {PrintedKind::kFlopsRatio, "flops_ratio"},
                                                {PrintedKind::kKvRatio, "kv_ratio"}}}};

/// The number with 1 in the place of its last digit and 0 before it: "0.10B" gives "0.01B".
std::string last_place(std::string text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::size_t last = text.find_last_of("0123456789", end == 0 ? 0 : end - 1);
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] >= '0' && text[i] <= '9') text[i] = i == last ? '1' : '0';
  }
  return text;
}

}  // namespace

std::string_view printed_kind_name(PrintedKind kind) { return kNames.of(kind); }

PrintedFigure printed_figure(PrintedKind kind, std::string_view text, std::string_view where) {
  const bool percent = text.ends_with('%');
  const std::string digits(percent ? text.substr(0, text.size() - 1) : text);
  const Rational unit = percent ? Rational(1, 100) : Rational(1);
  const Rational value = parse_number(digits, where) * unit;
  if (value < Rational(0)) {
    throw InputError(std::string(where), fmt::format("{} is negative", text), "0 or more");
  }
  const Rational half = parse_number(last_place(digits), where) * unit * Rational(1, 2);
  return {kind, std::string(text), value - half, value + half};
}

const PrintedFigure* PrintedRow::find(PrintedKind kind) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const PrintedFigure& each) { return each.kind == kind; });
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace smelt
