#pragma once

// A brute-force twin of the inference: its own formulas, every geometry and number of attended keys
// of a small domain tried, each figure compared with its printed digits in exact fractions.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "smelt/infer.hpp"

namespace smelt::testing {

__extension__ using Wide = __int128;

struct TwinFraction {
  Wide num = 0;
  Wide den = 1;
};

/// Counts of a row at one geometry and number of keys.
struct TwinCounts {
  Wide active, total, flops, kv, control_total, control_flops;
};

inline TwinCounts twin_counts(const PrintedRow& row, const InferredGeometry& g, std::int64_t keys) {
  const Wide h = row.hidden_size;
  const Wide layers = row.num_layers;
  const Wide executed = layers + (row.loop ? row.loop->length * (row.loop->visits - 1) : 0);
  const Wide expert = g.matrices * h * g.expert_ffn;
  const auto layer = [&](Wide stored, Wide used) {
    return 2 * h * g.query_width + 2 * h * g.kv_width + h * stored +
           (used + g.shared_experts) * expert + 2 * h;
  };
  const Wide e = row.num_experts;
  const Wide k = row.num_experts_per_tok;
  const Wide scores = 12 * g.query_width * keys * executed;
  return {layers * layer(e, k) + h,
          layers * layer(e, e) + h,
          6 * (executed * layer(e, k) + h) + scores,
          2 * g.kv_width * executed,
          layers * layer(k, k) + h,
          6 * (executed * layer(k, k) + h) + scores};
}

/// The value of a figure.
inline TwinFraction twin_value(const PrintedRow& row, PrintedKind kind, const TwinCounts& own,
                               const TwinCounts* other) {
  (void)row;
  switch (kind) {
    case PrintedKind::kActiveParams:
      return {own.active, 1};
    case PrintedKind::kTotalParams:
      return {own.total, 1};
    case PrintedKind::kFlops:
      return {own.flops, 1};
    case PrintedKind::kSparsity:
      return {own.control_flops * own.total - own.flops * own.control_total,
              own.control_flops * own.total};
    case PrintedKind::kFlopsRatio:
      return {own.flops, other->flops};
    case PrintedKind::kKvRatio:
      break;
  }
  return {own.kv, other->kv};
}

/// A plain decimal ("0.1250") as the nearest one of so many digits, halves up.
inline std::string twin_print(const TwinFraction& value, int digits) {
  Wide power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  const Wide scaled = (2 * value.num * power + value.den) / (2 * value.den);
  std::string rest = std::to_string(static_cast<std::int64_t>(scaled % power));
  rest.insert(0, static_cast<std::size_t>(digits) - (digits > 0 ? rest.size() : 0), '0');
  const std::string whole = std::to_string(static_cast<std::int64_t>(scaled / power));
  return digits == 0 ? whole : whole + "." + rest;
}

/// Whether a value rounds to a plain decimal, either way at a tie.
inline bool twin_rounds_to(const TwinFraction& value, const std::string& printed) {
  Wide digits = 0;
  Wide power = 1;
  bool fraction = false;
  for (const char c : printed) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    digits = digits * 10 + (c - '0');
    if (fraction) power *= 10;
  }
  Wide gap = value.num * power - digits * value.den;
  if (gap < 0) gap = -gap;
  return 2 * gap <= value.den;
}

/// All geometries of a domain for a row, one kind of FFN.
inline std::vector<InferredGeometry> twin_geometries(const PrintedRow& row,
                                                     const InferDomain& domain,
                                                     std::int64_t matrices) {
  std::vector<InferredGeometry> list;
  const std::int64_t h = row.hidden_size;
  for (std::int64_t f = 1; f <= domain.expert_ffn.highest.value_or(8 * h); ++f) {
    if (f % domain.expert_ffn.multiple_of != 0) continue;
    for (std::int64_t w = 1; w <= h; ++w) {
      if (w % domain.kv_width.multiple_of != 0 || h % w != 0) continue;
      for (std::int64_t s = 0; s <= domain.most_shared_experts; ++s) {
        list.push_back({f, w, h, matrices, s});
      }
    }
  }
  return list;
}

}  // namespace smelt::testing
