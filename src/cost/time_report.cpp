#include "smelt/time_report.hpp"

#include "smelt/error.hpp"

namespace smelt {

std::int64_t executions(const LayerTime& layer, Pass pass) {
  return layer.layers * (pass == Pass::kForward ? layer.visits : layer.backward_visits);
}

namespace {

TimeRow time_row(const Model& model, const TimeRequest& request) try {
  TimeRow row{model, predict_time(model, request.hardware, request.options)};
  for (const LayerTime& layer : row.time.layers) {
    for (const OperatorTime& op : layer.operators) {
      const auto times = static_cast<double>(executions(layer, op.op.pass));
      row.flops += op.op.flops.to_double() * times;
      row.bound_s += op.bound_s * times;
    }
  }
  return row;
} catch (const InputError& error) {
  throw error.within(model.name);
}

}  // namespace

TimeResult compare_times(const TimeRequest& request) {
  TimeResult result{request.hardware, request.options, {}};
  for (const Model& model : request.models) {
    result.rows.push_back(time_row(model, request));
    const TimeRow& baseline = result.rows.front();
    result.rows.back().ratio = result.rows.back().time.total_s / baseline.time.total_s;
    result.rows.back().flops_ratio = result.rows.back().flops / baseline.flops;
  }
  return result;
}

}  // namespace smelt
