#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "search/search_order.hpp"
#include "smelt/search.hpp"

namespace smelt {

/// The metrics asked for in their order, turned so that smaller is better; 0 behind them.
using FrontKey = std::array<double, kMetricCount>;

/// The designs offered that no other one beats.
class Front {
 public:
  Front(const std::vector<ParetoMetric>& metrics, const SearchOrder& better)
      : metrics_(metrics), better_(better) {}

  [[nodiscard]] bool is_asked_for() const { return !metrics_.empty(); }
  [[nodiscard]] FrontKey key_of(const MetricValues& values) const;
  /// Whether a member is as good in all metrics and better in one.
  [[nodiscard]] bool beats(const FrontKey& key) const;
  /// Throws InputError when the front becomes too large.
  void offer(const FrontKey& key, const SearchDesign& design);
  void offer(const SearchDesign& design) { offer(key_of(design.metrics), design); }

  /// In no particular order.
  [[nodiscard]] std::vector<SearchDesign> members() const;
  /// The keys of up to `most` members, spread evenly.
  [[nodiscard]] std::vector<FrontKey> some_keys(std::size_t most) const;

 private:
  const std::vector<ParetoMetric>& metrics_;
  const SearchOrder& better_;
  /// In lexicographic order: what beats a key stands before it, mostly close before it, and what it
  /// beats stands behind it.
  std::map<FrontKey, SearchDesign> members_;
  mutable FrontKey last_to_beat_{};  // beats the next one too, often
  mutable bool has_last_ = false;
};

/// Whether `a` is as good as `b` in all metrics and better in one.
bool beats(const FrontKey& a, const FrontKey& b);

}  // namespace smelt
