#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

JsonValue integer(std::int64_t value) { return to_value(Count(value)); }

JsonValue operator_value(const LayerTime& layer, const OperatorTime& time) {
  JsonValue::Object members = {{"name", to_value(operator_name(time.op.kind))},
                               {"phase", to_value(pass_name(time.op.pass))},
                               {"first_layer", integer(layer.first_layer)},
                               {"executions", integer(executions(layer, time.op.pass))},
                               {"flops", to_value(time.op.flops)},
                               {"bytes", to_value(time.op.bytes)}};
  if (time.op.product) {
    members.emplace_back("groups",
                         integer(static_cast<std::int64_t>(time.op.product->rows.size())));
    members.emplace_back("rows", JsonValue::object({{"mean", to_value(time.mean_rows)},
                                                    {"max", integer(time.most_rows)}}));
    members.emplace_back("tiles", integer(time.tiles));
    members.emplace_back("waves", integer(time.waves));
  }
  members.emplace_back("tile_fill", to_value(time.tile_fill));
  members.emplace_back("launches", integer(time.launches));
  members.emplace_back("bound_s", to_value(time.bound_s));
  members.emplace_back("time_s", to_value(time.time_s));
  return JsonValue::object(std::move(members));
}

JsonValue layer_value(const LayerTime& layer) {
  return JsonValue::object({{"first_layer", integer(layer.first_layer)},
                            {"layers", integer(layer.layers)},
                            {"visits", integer(layer.visits)},
                            {"visit_s", to_value(layer.visit_s())},
                            {"layer_s", to_value(layer.layer_s())},
                            {"total_s", to_value(layer.total_s())}});
}

JsonValue row_value(const TimeRow& row) {
  JsonValue::Array operators;
  JsonValue::Array layers;
  for (const LayerTime& layer : row.time.layers) {
    layers.push_back(layer_value(layer));
    for (const OperatorTime& time : layer.operators) {
      operators.push_back(operator_value(layer, time));
    }
  }
  return JsonValue::object({{"model", model_json(row.model)},
                            {"operators", JsonValue::array(std::move(operators))},
                            {"layers", JsonValue::array(std::move(layers))},
                            {"flops", to_value(row.flops)},
                            {"bound_s", to_value(row.bound_s)},
                            {"total_s", to_value(row.time.total_s)},
                            {"flops_ratio", to_value(row.flops_ratio)},
                            {"ratio", to_value(row.ratio)}});
}

}  // namespace

std::string to_json(const TimeResult& result) {
  const TimeOptions& options = result.options;
  JsonValue::Array models;
  for (const TimeRow& row : result.rows) models.push_back(row_value(row));
  JsonValue::Object members = result_members("time");
  members.emplace_back("device", to_value(result.hardware.name));
  members.emplace_back("phase", to_value(phase_name(options.phase)));
  members.emplace_back("dtype", to_value(precision_name(options.precision)));
  members.emplace_back("tokens", integer(options.tokens));
  members.emplace_back("routing", to_value(routing_name(options.routing)));
  members.emplace_back("experts", to_value(expert_launch_name(options.experts)));
  members.emplace_back("launch_s", to_value(options.launch_s));
  members.emplace_back("models", JsonValue::array(std::move(models)));
  if (result.rows.size() == 2) members.emplace_back("ratio", to_value(result.rows[1].ratio));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
