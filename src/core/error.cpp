#include "smelt/error.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace smelt {

std::string Mistake::line() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!expected.empty()) text += " (" + expected + ")";
  return text;
}

InputError::InputError(std::string where, std::string what, std::string expected)
    : InputError({Mistake{std::move(where), std::move(what), std::move(expected)}}) {}

InputError::InputError(std::vector<Mistake> mistakes) : mistakes_(std::move(mistakes)) {
  for (const Mistake& mistake : mistakes_) {
    if (!text_.empty()) text_ += '\n';
    text_ += mistake.line();
  }
}

InputError InputError::within(std::string_view place) const {
  std::vector<Mistake> placed = mistakes_;
  for (Mistake& mistake : placed) {
    mistake.where = std::string(place) + (mistake.where.empty() ? "" : ": " + mistake.where);
  }
  return InputError(std::move(placed));
}

void Mistakes::add(std::string where, std::string what, std::string expected) {
  list_.push_back({std::move(where), std::move(what), std::move(expected)});
}

void Mistakes::add(const InputError& error) {
  list_.insert(list_.end(), error.mistakes().begin(), error.mistakes().end());
}

void Mistakes::throw_if_any() const {
  if (!list_.empty()) throw InputError(list_);
}

namespace {

/// Insertions, deletions, substitutions and swaps of neighbours cost one each.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> above(b.size() + 1);   // row i - 1
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string* nearest = nullptr;
  std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
  if (name.size() > 100) return {};
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? std::string() : "did you mean '" + *nearest + "'?";
}

}  // namespace smelt
