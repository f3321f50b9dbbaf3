#include <fmt/format.h>

#include "report/pass_text.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

constexpr double kMicro = 1e6;
constexpr double kMilli = 1e3;

Cell seconds_cell(double seconds, double scale, int digits) {
  return fixed_cell(seconds, scale, digits, shortest(seconds));
}

std::vector<ColumnOf<OperatorTime>> operator_columns() {
  using Time = OperatorTime;
  return {
      {{"Operator", "", "name", Align::kLeft},
       [](const Time& t) { return text_cell(std::string(operator_name(t.op.kind))); }},
      {{"Pass", "", "phase", Align::kLeft}, [](const Time& t) { return pass_cell(t.op.pass); }},
      {{"GFLOP", "", "flops"},
       [](const Time& t) {
         return fixed_cell(t.op.flops.to_double(), 1e-9, 1, std::to_string(t.op.flops.value()));
       }},
      {{"MB", "", "bytes"},
       [](const Time& t) {
         return fixed_cell(t.op.bytes.to_double(), 1e-6, 1, std::to_string(t.op.bytes.value()));
       }},
      {{"Rows", "max", "rows_max"},
       [](const Time& t) {
         return t.op.product ? count_cell(t.most_rows) : Cell{"", "0"};
       }},
      {{"Fill", "", "tile_fill"},
       [](const Time& t) { return fixed_cell(t.tile_fill, 1, 2, shortest(t.tile_fill)); }},
      {{"Waves", "", "waves"},
       [](const Time& t) {
         return t.waves > 0 ? count_cell(t.waves) : Cell{"", "0"};
       }},
      {{"Bound", "us", "bound_s"},
       [](const Time& t) { return seconds_cell(t.bound_s, kMicro, 1); }},
      {{"Time", "us", "time_s"}, [](const Time& t) { return seconds_cell(t.time_s, kMicro, 1); }},
  };
}

std::vector<ColumnOf<TimeRow>> stack_columns() {
  return {
      {{"Model", "", "model", Align::kLeft},
       [](const TimeRow& row) { return text_cell(row.model.name); }},
      {{"Layers", "run", "executed_layers"},
       [](const TimeRow& row) { return count_cell(effective_layers(row.model)); }},
      {{"FLOPs", "ratio", "flops_ratio"},
       [](const TimeRow& row) {
         return fixed_cell(row.flops_ratio, 1, 3, shortest(row.flops_ratio));
       }},
      {{"Bound", "ms", "bound_s"},
       [](const TimeRow& row) { return seconds_cell(row.bound_s, kMilli, 3); }},
      {{"Time", "ms", "total_s"},
       [](const TimeRow& row) { return seconds_cell(row.time.total_s, kMilli, 3); }},
      {{"Time", "ratio", "ratio"},
       [](const TimeRow& row) { return fixed_cell(row.ratio, 1, 3, shortest(row.ratio)); }},
  };
}

std::string layer_title(const TimeRow& row, const LayerTime& layer) {
  return fmt::format("{}, one visit of layer {}", row.model.name, layer.first_layer + 1);
}

/// One table for each distinct list of operators: layers that differ in visits alone share one.
void add_operator_tables(const TimeRow& row, std::vector<Table>& tables) {
  const LayerTime* last = nullptr;
  for (const LayerTime& layer : row.time.layers) {
    const bool alike = last != nullptr && last->forward_s == layer.forward_s &&
                       last->backward_s == layer.backward_s;
    if (alike) continue;
    last = &layer;
    tables.push_back(tabulate(fmt::format("{} layer {}", row.model.name, layer.first_layer),
                              layer_title(row, layer), operator_columns(), layer.operators));
  }
}

}  // namespace

Document to_document(const TimeResult& result) {
  const TimeOptions& options = result.options;
  Document document;
  document.heading = {fmt::format("{} ({}): {}, {}, {} tokens, routing {}", result.hardware.name,
                                  result.hardware.description, phase_name(options.phase),
                                  precision_name(options.precision),
                                  with_separators(options.tokens), routing_name(options.routing))};
  for (const TimeRow& row : result.rows) add_operator_tables(row, document.tables);
  Table stack = tabulate("stack", "All executed layers", stack_columns(), result.rows);
  if (result.rows.size() > 1) stack.rows[1].after_rule = true;
  document.tables.push_back(std::move(stack));
  document.notes = {
      fmt::format("Bound: max(FLOPs / peak, bytes / bandwidth). Time: whole {} x {} x {} tiles in",
                  options.tile.rows, options.tile.columns, options.tile.inner),
      fmt::format("whole waves, or bytes, and {:.1f} us a launch; experts: {}.",
                  options.launch_s * kMicro, expert_launch_name(options.experts)),
      "A floor from stated peaks, nothing fitted: read the ratio, not the milliseconds.",
      "Embedding, output head and optimiser are left out."};
  return document;
}

}  // namespace smelt
