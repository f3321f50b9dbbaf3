#pragma once

#include <vector>

#include "smelt/time.hpp"

namespace smelt {

/// How long models' stacks take on a device: the request of `smelt time`. The first model is the
/// Baseline.
struct TimeRequest {
  std::vector<Model> models;
  Hardware hardware;
  TimeOptions options;
};

/// A model's stack and its time over the Baseline's.
struct TimeRow {
  Model model;
  StackTime time;
  double flops = 0;    ///< of matrix products, whole stack
  double bound_s = 0;  ///< roofline, whole stack
  double ratio = 1;    ///< of predicted times
  double flops_ratio = 1;
};

struct TimeResult {
  Hardware hardware;
  TimeOptions options;
  std::vector<TimeRow> rows;
};

/// Throws InputError as predict_time does, naming the model.
TimeResult compare_times(const TimeRequest& request);

/// Executions of one operator in a run of layers: visits of each times layers.
std::int64_t executions(const LayerTime& layer, Pass pass);

}  // namespace smelt
