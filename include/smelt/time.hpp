#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "smelt/hardware.hpp"
#include "smelt/model.hpp"
#include "smelt/operators.hpp"
#include "smelt/routing.hpp"
#include "smelt/tiles.hpp"

namespace smelt {

/// How the products of the routed experts reach the device.
enum class ExpertLaunch {
  kGrouped,  ///< all experts in one launch, their tiles sharing the multiprocessors
  kLoop,     ///< one launch an expert, each with waves of its own
};
/// Throws InputError at `where` for anything but "grouped" and "loop".
ExpertLaunch parse_expert_launch(std::string_view text, std::string_view where);
std::string_view expert_launch_name(ExpertLaunch launch);

/// What the time model assumes beside model and device.
struct TimeOptions {
  std::int64_t tokens = 0;  ///< of one step on one device; sequences when decoding
  ExecutionPhase phase = ExecutionPhase::kTrain;
  Precision precision = Precision::kBf16;
  RoutingLaw routing;
  ExpertLaunch experts = ExpertLaunch::kGrouped;
  TileShape tile;            ///< the largest: 128 x 128 x 64, common on tensor cores
  double launch_s = 2.5e-6;  ///< host and device cost of one kernel launch; an assumption
};

/// The predicted time of one operator and what it comes from.
struct OperatorTime {
  Operator op;
  double mean_rows = 0;        ///< per group of a product; 0 for other operators
  std::int64_t most_rows = 0;  ///< of the fullest group
  double tile_fill = 1;        ///< rows per row of the tiles they occupy: 260 / 384 = 0.677
  std::int64_t tiles = 0;      ///< output tiles
  std::int64_t waves = 0;      ///< rounds over all multiprocessors
  std::int64_t launches = 1;
  double bound_s = 0;  ///< roofline: max(flops / peak, bytes / bandwidth)
  double time_s = 0;   ///< max(padded work in whole waves, bytes / bandwidth) + launches
};

/// One run of consecutive layers that are alike.
struct LayerTime {
  std::int64_t first_layer = 0;  ///< counted from 0
  std::int64_t layers = 0;       ///< physical
  std::int64_t visits = 1;       ///< of each, forward
  /// Of each, backward: fewer where training runs backward through the last visits alone.
  std::int64_t backward_visits = 0;
  std::vector<OperatorTime> operators;
  double forward_s = 0;   ///< of one visit
  double backward_s = 0;  ///< of one visit

  [[nodiscard]] double visit_s() const { return forward_s + backward_s; }
  [[nodiscard]] double layer_s() const {
    return forward_s * static_cast<double>(visits) +
           backward_s * static_cast<double>(backward_visits);
  }
  [[nodiscard]] double total_s() const { return layer_s() * static_cast<double>(layers); }
};

/// All layers of a model; embedding, output head and optimiser are left out.
struct StackTime {
  std::vector<LayerTime> layers;
  double total_s = 0;
};

/// Time of a model's layers on a device, from first principles: FLOPs in whole tiles and whole
/// waves at the stated peak, bytes at the stated bandwidth, launches. Nothing is fitted, so it is a
/// floor that real kernels miss by their own efficiency; ratios of two models are what it is for.
///
/// Tiles shrink (rows halve, down to 16) where no group fills half of one. A product of one group
/// whose tiles do not fill the device splits its inner dimension over idle multiprocessors. Causal
/// attention computes the masked half of its diagonal tiles, and its backward pass computes the
/// scores again (2.5 times forward in place of 2).
///
/// Throws InputError when the device has no such element type, or the model no attended keys.
StackTime predict_time(const Model& model, const Hardware& hardware, const TimeOptions& options);

}  // namespace smelt
