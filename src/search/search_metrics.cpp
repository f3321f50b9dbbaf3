#include "smelt/search_metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "smelt/error.hpp"

namespace smelt {

const std::array<MetricInfo, kMetricCount>& metric_infos() {
  static constexpr std::array<MetricInfo, kMetricCount> kInfos = {{
      {Metric::kMaxAbsDeviation, "max_abs_deviation", "Worst", "dev %",
       "the largest |deviation| of the three budgets from the Baseline's", false, false, false,
       false},
      {Metric::kEffectiveDepthToWidth, "effective_depth_to_width", "Depth", "/H",
       "executed layers (a looped layer counts each visit) over hidden size, times 1000", true,
       false, false, false},
      {Metric::kFfnRatioDistance, "ffn_ratio_distance", "F/H", "%",
       "|(F/H) / (F/H of the Baseline) - 1|: how far the FFN's shape moved", false, false, false,
       false},
      {Metric::kRowsPerExpert, "rows_per_expert", "Rows", "each",
       "batch tokens x k / E: rows of an expert's matrix product, evenly routed", true, true, false,
       false},
      {Metric::kTileFill, "tile_fill", "Fill", "%",
       "rows over the rows of the 128-row tiles that hold them", true, true, false, false},
      {Metric::kExpertParallelDivisible, "expert_parallel_divisible", "EP", "",
       "1 where the expert-parallel degree divides E, else 0", true, false, true, false},
      {Metric::kPredictedTimeRatio, "predicted_time_ratio", "Time", "x",
       "predicted time of a training step over the Baseline's, both floors (smelt time)", false,
       true, false, true},
  }};
  return kInfos;
}

const MetricInfo& info_of(Metric metric) {
  return metric_infos()[static_cast<std::size_t>(metric)];
}

Metric parse_metric(std::string_view key, std::string_view where) {
  std::vector<std::string> known;
  for (const MetricInfo& info : metric_infos()) {
    if (info.key == key) return info.metric;
    known.emplace_back(info.key);
  }
  const std::string near = did_you_mean(key, known);
  throw InputError(std::string(where), fmt::format("unknown metric '{}'", key),
                   near.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : near);
}

double ffn_ratio_distance(const MetricBasis& basis, std::int64_t hidden, std::int64_t ffn) {
  const double ratio = static_cast<double>(ffn) * static_cast<double>(basis.reference_hidden);
  const double reference = static_cast<double>(hidden) * static_cast<double>(basis.reference_ffn);
  return std::abs(ratio - reference) / reference;
}

double rows_per_expert(const MetricBasis& basis, std::int64_t experts) {
  if (!basis.batch_tokens || experts == 0) return 0;
  return static_cast<double>(*basis.batch_tokens * basis.num_experts_per_tok) /
         static_cast<double>(experts);
}

double tile_fill(const MetricBasis& basis, std::int64_t experts) {
  if (!basis.batch_tokens || experts == 0) return 0;
  const std::int64_t rows = *basis.batch_tokens * basis.num_experts_per_tok;  // of all experts
  const std::int64_t rows_of_one_tile = kTileRows * experts;
  const std::int64_t tiles = (rows - 1) / rows_of_one_tile + 1;
  return static_cast<double>(rows) /
         (static_cast<double>(tiles) * static_cast<double>(rows_of_one_tile));
}

double expert_parallel_divisible(const MetricBasis& basis, std::int64_t experts) {
  if (!basis.expert_parallel_degree || experts == 0) return 0;
  return experts % *basis.expert_parallel_degree == 0 ? 1 : 0;
}

double predicted_time_ratio(const MetricBasis& basis, const Dimensions& dimensions) {
  return basis.time_ratio ? basis.time_ratio(dimensions) : 0;
}

MetricValues metric_values_without_time(const MetricBasis& basis, const Dimensions& dimensions,
                                        const Deviation& deviation) {
  const std::int64_t experts = dimensions.num_experts;
  return {deviation.max_abs(),
          static_cast<double>(basis.effective_layers) / static_cast<double>(dimensions.hidden_size),
          ffn_ratio_distance(basis, dimensions.hidden_size, dimensions.ffn_width),
          rows_per_expert(basis, experts),
          tile_fill(basis, experts),
          expert_parallel_divisible(basis, experts),
          0};
}

MetricValues metric_values(const MetricBasis& basis, const Dimensions& dimensions,
                           const Deviation& deviation) {
  MetricValues values = metric_values_without_time(basis, dimensions, deviation);
  values[static_cast<std::size_t>(Metric::kPredictedTimeRatio)] =
      predicted_time_ratio(basis, dimensions);
  return values;
}

}  // namespace smelt
