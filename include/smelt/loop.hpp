#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace smelt {

/// `length` consecutive layers from `start` (counted from 0), run `visits` times.
struct LoopSpan {
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::int64_t visits = 1;

  friend bool operator==(const LoopSpan&, const LoopSpan&) = default;
};

/// A loop asked for in words, resolved against a stack of `num_layers`: "1/2x2" (the middle half,
/// twice: floor((L - m) / 2) layers stand before it), "4-9x2" (layers 4 to 9 counted from 1, twice)
/// or "none" (no span). Throws InputError at `where`.
std::optional<LoopSpan> parse_loop(std::string_view text, std::int64_t num_layers,
                                   std::string_view where);

/// In which order the visits of a span follow each other.
enum class LoopOrder {
  kBlock,  ///< the span as a whole, again and again
  kLayer,  ///< each layer again and again, then the next
};

/// Which visits of a looped layer keep their own keys and values.
enum class KvPolicy {
  kPerVisit,  ///< each visit writes its own: 2 W per executed layer
  kShared,    ///< all visits of a layer share one cache
  kFirst,     ///< only the first visit's is kept
  kLast,      ///< only the last visit's is kept
  kBudget,    ///< the last `kv_visits` visits'
};

KvPolicy parse_kv_policy(std::string_view text, std::string_view where);
std::string_view kv_policy_name(KvPolicy policy);
LoopOrder parse_loop_order(std::string_view text, std::string_view where);
std::string_view loop_order_name(LoopOrder order);

/// How looped layers run; the same for every span of a model.
struct LoopOptions {
  LoopOrder order = LoopOrder::kBlock;
  KvPolicy kv = KvPolicy::kPerVisit;
  std::int64_t kv_visits = 0;  ///< visits that keep their cache under KvPolicy::kBudget
  /// H x H weights applied before each visit of a span: 1 for an added, 2 for a concatenated state
  /// (Huginn's adapter).
  std::int64_t inject_matrices = 0;
  std::int64_t inject_vectors = 0;  ///< vectors of hidden_size applied with them
  /// Rank of the low-rank pair that every visit adds to each matrix of attention and dense or
  /// shared FFN (relaxed recursion, arXiv:2410.20672); 0 for none.
  std::int64_t adapter_rank = 0;
  /// Training runs backward through the last so many visits only; 0 for all.
  std::int64_t backward_visits = 0;

  friend bool operator==(const LoopOptions&, const LoopOptions&) = default;
};

/// The most visits of a loop.
inline constexpr std::int64_t kMostVisits = 1'000'000;

}  // namespace smelt
