#include "smelt/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/enum_names.hpp"
#include "smelt/error.hpp"

namespace smelt {

namespace {

constexpr EnumNames<ExpertLaunch, 2> kLaunches = {
    {{{ExpertLaunch::kGrouped, "grouped"}, {ExpertLaunch::kLoop, "loop"}}}};

}  // namespace

ExpertLaunch parse_expert_launch(std::string_view text, std::string_view where) {
  return kLaunches.parse(text, "expert launch", where);
}

std::string_view expert_launch_name(ExpertLaunch launch) { return kLaunches.of(launch); }

namespace {

/// What one group of a product occupies: `tiles` output tiles of `steps` inner steps each.
struct GroupWork {
  std::int64_t tiles = 0;
  std::int64_t steps = 0;
};

GroupWork group_work(const GroupedProduct& product, Pass pass, std::int64_t rows,
                     const TileShape& tile) {
  switch (pass) {
    case Pass::kBackwardInput:
      return {tile_count(rows, product.inner, tile), ceil_ratio(product.columns, tile.inner)};
    case Pass::kBackwardWeight:
      return {tile_count(product.inner, product.columns, tile), ceil_ratio(rows, tile.inner)};
    default:
      return {tile_count(rows, product.columns, tile), ceil_ratio(product.inner, tile.inner)};
  }
}

/// A tile no larger than the fullest group needs: rows halve down to 16 while all groups fit in
/// half. The inner step does the same for weight gradients, whose inner dimension is the rows.
TileShape fitted_tile(TileShape tile, Pass pass, std::int64_t most_rows) {
  std::int64_t& extent = pass == Pass::kBackwardWeight ? tile.inner : tile.rows;
  while (extent > 16 && most_rows <= extent / 2) extent /= 2;
  return tile;
}

/// The tiles of one launch laid over the multiprocessors.
struct Schedule {
  std::int64_t tiles = 0;
  std::int64_t waves = 0;
  double steps = 0;  ///< inner steps that the busiest multiprocessor runs through
};

/// Equal tiles run in ceil(tiles / SMs) waves. Where their depths differ (weight gradients of
/// uneven experts) no schedule beats the mean load or the deepest tile.
Schedule schedule(const std::vector<GroupWork>& groups, std::int64_t multiprocessors) {
  Schedule result;
  double total_steps = 0;
  std::int64_t deepest = 0;
  for (const GroupWork& group : groups) {
    if (group.steps == 0) continue;
    result.tiles += group.tiles;
    total_steps += static_cast<double>(group.tiles) * static_cast<double>(group.steps);
    deepest = std::max(deepest, group.steps);
  }
  if (result.tiles == 0) return result;
  // Split the inner dimension where one group leaves multiprocessors idle.
  const std::int64_t split =
      groups.size() > 1 ? 1 : std::clamp<std::int64_t>(multiprocessors / result.tiles, 1, deepest);
  result.waves = ceil_ratio(result.tiles * split, multiprocessors);
  const double mean_steps = total_steps / static_cast<double>(result.tiles * split);
  const auto longest = static_cast<double>(ceil_ratio(deepest, split));
  result.steps = std::max(
      std::max(mean_steps, split > 1 ? longest : 0) * static_cast<double>(result.waves), longest);
  return result;
}

/// Keys that a query's row of tiles computes beyond those it attends to: half a tile on average.
double core_tile_fill(const Rational& mean, const TileShape& tile) {
  const double keys = mean.to_double();
  return keys / (keys + static_cast<double>(tile.columns - 1) / 2);
}

class Predictor {
 public:
  Predictor(const Hardware& hardware, const TimeOptions& options, bool causal)
      : hardware_(hardware), options_(options), causal_(causal) {
    const std::optional<double> peak = hardware.peak(options.precision);
    if (!peak) {
      throw InputError("--dtype", fmt::format("{} states no rate for {}", hardware.name,
                                              precision_name(options.precision)));
    }
    peak_ = *peak;
  }

  /// `keys`: n of the layer.
  [[nodiscard]] OperatorTime time(Operator op, const Rational& keys) const {
    OperatorTime result;
    result.op = std::move(op);
    const double flops = result.op.flops.to_double();
    const double memory_s = result.op.bytes.to_double() / hardware_.memory_bandwidth_bytes_per_s;
    result.bound_s = std::max(flops / peak_, memory_s);
    double compute_s = flops / peak_;
    if (result.op.product) {
      compute_s = product_seconds(result);
    } else if (result.op.kind == OperatorKind::kAttentionCore) {
      if (options_.phase != ExecutionPhase::kDecode && causal_) {
        result.tile_fill = core_tile_fill(keys, options_.tile);
      }
      compute_s *= (result.op.pass == Pass::kBackward ? kCoreBackwardWork : 1) / result.tile_fill;
    }
    result.time_s =
        std::max(compute_s, memory_s) + static_cast<double>(result.launches) * options_.launch_s;
    return result;
  }

 private:
  /// Backward of a core that recomputes its scores: 5 products for the 4 that are counted.
  static constexpr double kCoreBackwardWork = 1.25;

  /// Fills in rows, tiles, waves and launches.
  double product_seconds(OperatorTime& result) const {
    const GroupedProduct& product = *result.op.product;
    result.most_rows = *std::max_element(product.rows.begin(), product.rows.end());
    const TileShape tile = fitted_tile(options_.tile, result.op.pass, result.most_rows);
    fill_rows(result, tile);
    std::vector<GroupWork> work;
    for (const std::int64_t rows : product.rows) {
      work.push_back(group_work(product, result.op.pass, rows, tile));
    }
    const double step_s = 2.0 * static_cast<double>(tile.rows * tile.columns * tile.inner) /
                          (peak_ / static_cast<double>(hardware_.multiprocessors));
    if (options_.experts == ExpertLaunch::kGrouped || work.size() == 1) {
      return launch_steps(work, result) * step_s;
    }
    double steps = 0;
    result.launches = 0;
    for (const GroupWork& group : work) {
      if (group.steps == 0 || group.tiles == 0) continue;
      steps += launch_steps({group}, result);
      ++result.launches;
    }
    return steps * step_s;
  }

  [[nodiscard]] double launch_steps(const std::vector<GroupWork>& work,
                                    OperatorTime& result) const {
    const Schedule plan = schedule(work, hardware_.multiprocessors);
    result.tiles += plan.tiles;
    result.waves += plan.waves;
    return plan.steps;
  }

  /// Rows occupy the tiles' rows, and in the weight gradients their inner steps.
  static void fill_rows(OperatorTime& result, const TileShape& tile) {
    const std::vector<std::int64_t>& rows = result.op.product->rows;
    const std::int64_t extent = result.op.pass == Pass::kBackwardWeight ? tile.inner : tile.rows;
    std::int64_t used = 0;
    std::int64_t occupied = 0;
    for (const std::int64_t count : rows) {
      used += count;
      occupied += ceil_ratio(count, extent) * extent;
    }
    result.mean_rows = static_cast<double>(used) / static_cast<double>(rows.size());
    if (occupied > 0) {
      result.tile_fill = static_cast<double>(used) / static_cast<double>(occupied);
    }
  }

  const Hardware& hardware_;
  const TimeOptions& options_;
  const bool causal_;
  double peak_ = 0;
};

LayerTime layer_time(const Model& model, const Layer& layer, const Predictor& predictor,
                     const TimeOptions& options) {
  Workload workload{options.tokens, options.phase, element_bytes(options.precision), {}};
  if (layer.ffn.num_experts > 0) {
    workload.expert_rows = expert_rows(options.routing, options.tokens,
                                       layer.ffn.num_experts_per_tok, layer.ffn.num_experts);
  }
  LayerTime result;
  const SublayerCounts counts = layer_counts(model, layer).ffn;
  result.visits = counts.executed;
  result.backward_visits = options.phase == ExecutionPhase::kTrain ? counts.backward : 0;
  for (Operator& op : layer_operators(model, layer, workload)) {
    const bool forward = op.pass == Pass::kForward;
    result.operators.push_back(predictor.time(std::move(op), mean_keys(model, layer)));
    (forward ? result.forward_s : result.backward_s) += result.operators.back().time_s;
  }
  return result;
}

}  // namespace

StackTime predict_time(const Model& model, const Hardware& hardware, const TimeOptions& options) {
  const Predictor predictor(hardware, options, model.causal);
  StackTime stack;
  for (std::size_t index = 0; index < model.layers.size(); ++index) {
    const Layer& layer = model.layers[index];
    if (index == 0 || layer != model.layers[index - 1]) {
      stack.layers.push_back(layer_time(model, layer, predictor, options));
      stack.layers.back().first_layer = static_cast<std::int64_t>(index);
    }
    ++stack.layers.back().layers;
  }
  for (const LayerTime& layer : stack.layers) stack.total_s += layer.total_s();
  return stack;
}

}  // namespace smelt
