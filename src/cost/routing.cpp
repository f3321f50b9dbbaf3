#include "smelt/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>

#include "smelt/count.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"
#include "smelt/random.hpp"

namespace smelt {

namespace {

constexpr std::string_view kZipfPrefix = "zipf:";
constexpr double kSteepestZipf = 10;

std::vector<std::int64_t> balanced_rows(std::int64_t total, std::int64_t num_experts) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(num_experts), total / num_experts);
  std::fill_n(rows.begin(), total % num_experts, total / num_experts + 1);
  return rows;
}

/// Each token draws by a partial Fisher-Yates shuffle of the experts.
std::vector<std::int64_t> random_rows(std::int64_t tokens, std::int64_t top_k,
                                      std::int64_t num_experts, std::uint64_t seed) {
  RandomStream stream(seed);
  std::vector<std::size_t> experts(static_cast<std::size_t>(num_experts));
  std::iota(experts.begin(), experts.end(), std::size_t{0});
  std::vector<std::int64_t> rows(experts.size());
  for (std::int64_t token = 0; token < tokens; ++token) {
    for (std::size_t chosen = 0; chosen < static_cast<std::size_t>(top_k); ++chosen) {
      std::swap(experts[chosen], experts[chosen + stream.below(experts.size() - chosen)]);
      ++rows[experts[chosen]];
    }
  }
  return rows;
}

std::vector<double> zipf_shares(double exponent, std::int64_t num_experts) {
  std::vector<double> share(static_cast<std::size_t>(num_experts));
  for (std::size_t rank = 0; rank < share.size(); ++rank) {
    share[rank] = std::pow(static_cast<double>(rank + 1), -exponent);
  }
  return share;
}

/// The part of the measured loads, sorted from the largest, that lies below a fraction of the
/// experts; linear in between.
double load_below(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size());
  const auto whole = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  const double before =
      std::accumulate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(whole), 0.0);
  return before + sorted[whole] * (place - static_cast<double>(whole));
}

std::vector<double> stretched_shares(std::vector<double> loads, std::int64_t num_experts) {
  std::sort(loads.begin(), loads.end(), std::greater<>());
  std::vector<double> share(static_cast<std::size_t>(num_experts));
  const auto experts = static_cast<double>(num_experts);
  for (std::size_t i = 0; i < share.size(); ++i) {
    share[i] = load_below(loads, static_cast<double>(i + 1) / experts) -
               load_below(loads, static_cast<double>(i) / experts);
  }
  return share;
}

/// Rows in proportion to falling shares, none above `tokens`: what the cap takes from the first
/// ranks goes to the rest in proportion.
std::vector<std::int64_t> share_rows(const std::vector<double>& share, std::int64_t tokens,
                                     std::int64_t total) {
  std::vector<double> share_left = share;  // of this rank and those below it
  std::partial_sum(share.rbegin(), share.rend(), share_left.rbegin());
  std::vector<std::int64_t> rows(share.size());
  std::int64_t left = total;
  for (std::size_t rank = 0; rank < share.size(); ++rank) {
    const auto below = static_cast<std::int64_t>(share.size() - rank - 1);
    // Ranks without any share divide evenly what the cap left over.
    const double part =
        share_left[rank] > 0 ? share[rank] / share_left[rank] : 1 / static_cast<double>(below + 1);
    const double wanted = static_cast<double>(left) * part;
    // The ranks below hold at most `tokens` rows each.
    const std::int64_t least = std::max<std::int64_t>(0, left - below * tokens);
    rows[rank] = std::clamp<std::int64_t>(std::llround(wanted), least, std::min(tokens, left));
    left -= rows[rank];
  }
  return rows;
}

}  // namespace

RoutingLaw parse_routing(std::string_view text, std::string_view where) {
  if (text == "balanced") return RoutingLaw{};
  if (text == "random") return {RoutingLaw::Kind::kRandom, 0, {}};
  if (text.substr(0, kZipfPrefix.size()) == kZipfPrefix) {
    const double exponent = parse_number(text.substr(kZipfPrefix.size()), where).to_double();
    if (exponent >= 0 && exponent <= kSteepestZipf) {
      return {RoutingLaw::Kind::kZipf, exponent, {}};
    }
  }
  throw InputError(std::string(where), fmt::format("'{}' is no routing", text),
                   "balanced, random or zipf:s with s from 0 to 10");
}

std::string routing_name(const RoutingLaw& law) {
  switch (law.kind) {
    case RoutingLaw::Kind::kRandom:
      return "random";
    case RoutingLaw::Kind::kZipf:
      return std::string(kZipfPrefix) + shortest(law.exponent);
    case RoutingLaw::Kind::kShares:
      return "measured";
    case RoutingLaw::Kind::kBalanced:
      break;
  }
  return "balanced";
}

RoutingLaw measured_routing(std::vector<double> shares, std::string_view where) {
  const bool valid = std::all_of(shares.begin(), shares.end(),
                                 [](double share) { return std::isfinite(share) && share >= 0; });
  if (!valid || std::accumulate(shares.begin(), shares.end(), 0.0) <= 0) {
    throw InputError(std::string(where), "these are no loads of experts",
                     "a list of numbers, none negative, not all 0");
  }
  return {RoutingLaw::Kind::kShares, 0, std::move(shares)};
}

std::vector<std::int64_t> expert_rows(const RoutingLaw& law, std::int64_t tokens,
                                      std::int64_t top_k, std::int64_t num_experts,
                                      std::uint64_t seed) {
  assert(top_k <= num_experts);
  const std::int64_t total = (Count(tokens) * top_k).value();
  switch (law.kind) {
    case RoutingLaw::Kind::kRandom:
      return random_rows(tokens, top_k, num_experts, seed);
    case RoutingLaw::Kind::kZipf:
      return share_rows(zipf_shares(law.exponent, num_experts), tokens, total);
    case RoutingLaw::Kind::kShares:
      return share_rows(stretched_shares(law.shares, num_experts), tokens, total);
    case RoutingLaw::Kind::kBalanced:
      break;
  }
  return balanced_rows(total, num_experts);
}

}  // namespace smelt
