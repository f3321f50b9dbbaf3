#include "smelt/convention_report.hpp"

#include <cmath>

#include "smelt/error.hpp"

namespace smelt {

namespace {

/// Runs `count`; a mistake of the input becomes the text of what is missing.
template <typename Row, typename Count>
void count_or_note(Row& row, Count count) {
  try {
    count();
  } catch (const InputError& error) {
    const Mistake& mistake = error.mistakes().front();
    row.missing = mistake.what + (mistake.expected.empty() ? "" : "; " + mistake.expected);
  }
}

}  // namespace

std::vector<ConventionRow> count_under_conventions(const Model& model) {
  std::vector<ConventionRow> rows;
  for (const Convention& convention : conventions()) {
    ConventionRow row{convention, {}, {}, {}};
    count_or_note(row, [&] {
      row.training_per_token = count_flops(model, convention).training_per_token;
      row.gap = explain_gap(model, conventions().front(), convention);
    });
    rows.push_back(row);
  }
  return rows;
}

std::vector<ConventionMatch> match_under_conventions(const Model& candidate, const Model& baseline,
                                                     const MatchTolerance& tolerance) {
  std::vector<ConventionMatch> rows;
  for (const Convention& convention : conventions()) {
    ConventionMatch row{convention, {}, {}, false};
    count_or_note(row, [&] {
      const Deviation off =
          deviation(budget_of(candidate, convention), budget_of(baseline, convention));
      row.deviation = off;
      row.holds = std::abs(off.flops) <= tolerance.flops &&
                  std::abs(off.params) <= tolerance.params && std::abs(off.kv) <= tolerance.kv;
    });
    rows.push_back(row);
  }
  return rows;
}

}  // namespace smelt
