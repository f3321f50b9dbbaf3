#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "smelt/budget.hpp"
#include "smelt/dimensions.hpp"

namespace smelt {

/// What designs of a search are compared by beside its objective.
enum class Metric {
  kMaxAbsDeviation,          ///< the largest of the three |deviation|
  kEffectiveDepthToWidth,    ///< L_eff / H
  kFfnRatioDistance,         ///< |(F / H) / (F_0 / H_0) - 1|
  kRowsPerExpert,            ///< batch tokens x k / E
  kTileFill,                 ///< rows over the rows of the tiles that hold them
  kExpertParallelDivisible,  ///< 1 where the degree divides E, else 0
  kPredictedTimeRatio,       ///< time of a training step over the Baseline's, by predict_time
};
inline constexpr std::size_t kMetricCount = 7;

/// Rows of one tile of a grouped matrix product.
inline constexpr std::int64_t kTileRows = 128;

struct MetricInfo {
  Metric metric;
  std::string_view key;    ///< in files and results
  std::string_view title;  ///< of a column, and its unit
  std::string_view unit;
  std::string_view meaning;  ///< one line of a legend
  bool higher_is_better;
  bool needs_batch;   ///< of a space that states batch_tokens
  bool needs_degree;  ///< of a space that states expert_parallel_degree
  bool needs_device;  ///< of a space that names a device
};

/// All metrics, in the order of Metric.
const std::array<MetricInfo, kMetricCount>& metric_infos();
const MetricInfo& info_of(Metric metric);
/// Throws InputError at `where` for a name that is none.
Metric parse_metric(std::string_view key, std::string_view where);

/// A metric and which end of it is wanted.
struct ParetoMetric {
  Metric metric = Metric::kMaxAbsDeviation;
  bool higher_is_better = false;

  friend bool operator==(const ParetoMetric&, const ParetoMetric&) = default;
};

/// One value for each Metric; 0 where the space does not state what it needs.
using MetricValues = std::array<double, kMetricCount>;

/// What the metrics of one stack's designs stand on.
struct MetricBasis {
  std::int64_t effective_layers = 0;     ///< L_eff
  std::int64_t num_experts_per_tok = 0;  ///< k
  std::int64_t reference_hidden = 0;     ///< H_0, the Baseline's
  std::int64_t reference_ffn = 0;        ///< F_0
  std::optional<std::int64_t> batch_tokens;
  std::optional<std::int64_t> expert_parallel_degree;
  /// Predicted time of a design over the Baseline's; empty where no device is named.
  std::function<double(const Dimensions&)> time_ratio;
};

double ffn_ratio_distance(const MetricBasis& basis, std::int64_t hidden, std::int64_t ffn);
/// The mean over the experts of one layer, for a batch that routes evenly.
double rows_per_expert(const MetricBasis& basis, std::int64_t experts);
/// rows / (128 ceil(rows / 128)): 260 rows fill 260 / 384 of their three tiles.
double tile_fill(const MetricBasis& basis, std::int64_t experts);
double expert_parallel_divisible(const MetricBasis& basis, std::int64_t experts);

double predicted_time_ratio(const MetricBasis& basis, const Dimensions& dimensions);

MetricValues metric_values(const MetricBasis& basis, const Dimensions& dimensions,
                           const Deviation& deviation);
/// The same but for the predicted time, which is 0: it takes a thousand times longer than all
/// others.
MetricValues metric_values_without_time(const MetricBasis& basis, const Dimensions& dimensions,
                                        const Deviation& deviation);

}  // namespace smelt
