#include "io/result_parts.hpp"
#include "smelt/result_json.hpp"

namespace smelt {
namespace {

JsonValue integer(std::int64_t value) { return to_value(Count(value)); }

JsonValue list(const std::vector<double>& values) {
  JsonValue::Array items;
  for (const double value : values) items.push_back(to_value(value));
  return JsonValue::array(std::move(items));
}

JsonValue text_list(const std::vector<std::string>& texts) {
  JsonValue::Array items;
  for (const std::string& text : texts) items.push_back(to_value(text));
  return JsonValue::array(std::move(items));
}

JsonValue machine_value(const BenchMachine& machine) {
  return JsonValue::object({{"backend", to_value(machine.backend)},
                            {"name", to_value(machine.name)},
                            {"library", to_value(machine.library)},
                            {"dtype", to_value(machine.precision)},
                            {"units", integer(machine.units)},
                            {"cache_bytes", integer(machine.cache_bytes)},
                            {"notes", text_list(machine.notes)}});
}

JsonValue ceilings_value(const BenchCeilings& ceilings) {
  JsonValue::Array points;
  for (const BenchBandwidth& point : ceilings.bandwidth) {
    points.push_back(JsonValue::object({{"footprint_bytes", integer(point.footprint_bytes)},
                                        {"bytes_per_s", to_value(point.bytes_per_s)}}));
  }
  return JsonValue::object({{"flops_per_s", to_value(ceilings.flops_per_s)},
                            {"bandwidth", JsonValue::array(std::move(points))}});
}

JsonValue measured_value(const SampleSummary& summary, const std::vector<double>& samples) {
  return JsonValue::object({{"median", to_value(summary.median)},
                            {"p10", to_value(summary.p10)},
                            {"p90", to_value(summary.p90)},
                            {"samples", list(samples)}});
}

JsonValue operator_value(const BenchOperator& op) {
  return JsonValue::object({{"name", to_value(operator_name(op.kind))},
                            {"phase", to_value(pass_name(op.pass))},
                            {"flops", to_value(op.flops)},
                            {"bytes", to_value(op.bytes)},
                            {"ideal_s", to_value(op.ideal_s)},
                            {"predicted_s", to_value(op.predicted_s)},
                            {"measured_s", measured_value(op.measured, op.samples)},
                            {"share_of_ceiling", to_value(op.share_of_ceiling())}});
}

JsonValue shape_value(const LayerShape& shape) {
  return JsonValue::object({{"tokens", integer(shape.tokens)},
                            {"hidden_size", integer(shape.hidden_size)},
                            {"num_attention_heads", integer(shape.num_heads)},
                            {"num_key_value_heads", integer(shape.num_key_value_heads)},
                            {"head_dim", integer(shape.head_dim)},
                            {"document_length", integer(shape.document)},
                            {"num_experts", integer(shape.num_experts)},
                            {"num_experts_per_tok", integer(shape.top_k)},
                            {"moe_intermediate_size", integer(shape.expert_width)}});
}

JsonValue model_value(const BenchModel& model) {
  JsonValue::Array rows;
  for (const std::int64_t count : model.expert_rows) rows.push_back(integer(count));
  JsonValue::Array operators;
  for (const BenchOperator& op : model.operators) operators.push_back(operator_value(op));
  JsonValue::Object members = {{"name", to_value(model.name)},
                               {"layer", shape_value(model.shape)},
                               {"expert_rows", JsonValue::array(std::move(rows))},
                               {"executed_layers", integer(model.executed_layers)},
                               {"operators", JsonValue::array(std::move(operators))},
                               {"ideal_s", to_value(model.ideal_s)},
                               {"predicted_s", to_value(model.predicted_s)},
                               {"measured_s", measured_value(model.measured, model.samples)}};
  if (!model.graph_samples.empty()) {
    members.emplace_back("graph_s",
                         measured_value(summarize(model.graph_samples), model.graph_samples));
  }
  JsonValue::Array host;
  for (const auto& [what, seconds] : model.host_s) {
    host.push_back(JsonValue::object({{"what", to_value(what)}, {"seconds", to_value(seconds)}}));
  }
  members.emplace_back("host_s", JsonValue::array(std::move(host)));
  return JsonValue::object(std::move(members));
}

JsonValue ratio_value(const BenchRatio& ratio) {
  return JsonValue::object({{"name", to_value(ratio.name)},
                            {"flops", to_value(ratio.flops)},
                            {"ideal", to_value(ratio.ideal)},
                            {"predicted", to_value(ratio.predicted)},
                            {"measured", to_value(ratio.measured)}});
}

}  // namespace

std::string to_json(const BenchResult& result) {
  JsonValue::Array models;
  for (const BenchModel& model : result.models) models.push_back(model_value(model));
  JsonValue::Array ratios;
  for (const BenchRatio& ratio : result.ratios) ratios.push_back(ratio_value(ratio));
  JsonValue::Object members = result_members("bench");
  members.emplace_back("machine", machine_value(result.machine));
  members.emplace_back("ceilings", ceilings_value(result.ceilings));
  members.emplace_back("models", JsonValue::array(std::move(models)));
  if (!result.ratios.empty()) members.emplace_back("ratio", ratio_value(result.ratios.front()));
  members.emplace_back("ratios", JsonValue::array(std::move(ratios)));
  members.emplace_back("converged", JsonValue::boolean(result.converged));
  members.emplace_back("clock_change", to_value(result.clock_change));
  members.emplace_back("warnings", text_list(result.warnings));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
