#include "smelt/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "smelt/count.hpp"
#include "smelt/error.hpp"

namespace smelt {

namespace {

/// Keys attended to by all `length` tokens of one document together.
Count causal_key_sum(std::int64_t length, const AttentionWindow& window) {
  const Count all = Count(length) * (Count(length) + 1);
  if (!window.bounded() || window.tokens >= length) return all.value() / 2;
  const Count width = window.tokens;
  if (window.kind == AttentionWindow::Kind::kSliding) {
    // The first w tokens see 1 ... w keys, each later one w.
    return Count((width * (width + 1)).value() / 2) + (Count(length) - width) * width;
  }
  const std::int64_t rest = length % window.tokens;
  return Count((width * (width + 1)).value() / 2) * (length / window.tokens) +
         (Count(rest) * (rest + 1)).value() / 2;
}

Count key_sum(std::int64_t length, const AttentionWindow& window, bool causal) {
  return causal ? causal_key_sum(length, window) : Count(length) * length;
}

constexpr double kKeySteps = 1 << 20;

Rational nearest_key_step(double keys) {
  return {static_cast<std::int64_t>(std::llround(keys * kKeySteps)),
          static_cast<std::int64_t>(kKeySteps)};
}

struct MeanKeys {
  const AttentionWindow& window;
  bool causal;

  Rational operator()(const ConstantDocuments& law) const {
    return {key_sum(law.length, window, causal).value(), law.length};
  }

  /// With q = 1 - 1/T a token's position i has probability q^(i-1) / T, so that sum over i of
  /// P(i) min(i, w) = T (1 - q^w), and blocks of c restart the count: T - c q^c / (1 - q^c).
  Rational operator()(const GeometricDocuments& law) const {
    const auto mean = static_cast<double>(law.mean_length);
    if (!causal) return Rational(law.mean_length) * Rational(2) - Rational(1);
    if (!window.bounded()) return law.mean_length;
    const double tail = std::pow(1 - 1 / mean, static_cast<double>(window.tokens));
    if (window.kind == AttentionWindow::Kind::kSliding) return nearest_key_step(mean * (1 - tail));
    return nearest_key_step(mean - static_cast<double>(window.tokens) * tail / (1 - tail));
  }

  Rational operator()(const ListedDocuments& law) const {
    Count keys;
    Count tokens;
    for (const std::int64_t length : law.lengths) {
      keys += key_sum(length, window, causal);
      tokens += length;
    }
    return {keys.value(), tokens.value()};
  }
};

}  // namespace

DocumentLaw document_law(std::string_view name, std::int64_t mean_length, std::string_view where) {
  if (mean_length < 1) {
    throw InputError(std::string(where), fmt::format("length {} is too small", mean_length),
                     "at least 1");
  }
  if (name == "constant") return ConstantDocuments{mean_length};
  if (name == "geometric") return GeometricDocuments{mean_length};
  throw InputError(std::string(where), fmt::format("unknown document law '{}'", name),
                   "constant or geometric");
}

Rational mean_keys(const DocumentLaw& law, const AttentionWindow& window, bool causal) {
  return std::visit(MeanKeys{window, causal}, law);
}

}  // namespace smelt
