#include <fmt/format.h>

#include "report/pass_text.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_document.hpp"

namespace smelt {
namespace {

constexpr double kMilli = 1e3;

Cell milliseconds_cell(double seconds) { return fixed_cell(seconds, kMilli, 3, shortest(seconds)); }
Cell ratio_cell(double ratio) { return fixed_cell(ratio, 1, 3, shortest(ratio)); }

/// A row of a model's table: an operator, or the layer as a whole.
struct Line {
  std::string name;
  Cell pass;
  double ideal_s = 0;
  double predicted_s = 0;
  SampleSummary measured;
};

std::vector<ColumnOf<Line>> line_columns() {
  return {
      {{"Operator", "", "name", Align::kLeft}, [](const Line& l) { return text_cell(l.name); }},
      {{"Pass", "", "phase", Align::kLeft}, [](const Line& l) { return l.pass; }},
      {{"Ideal", "ms", "ideal_s"}, [](const Line& l) { return milliseconds_cell(l.ideal_s); }},
      {{"Predicted", "ms", "predicted_s"},
       [](const Line& l) { return milliseconds_cell(l.predicted_s); }},
      {{"Measured", "ms", "measured_s"},
       [](const Line& l) { return milliseconds_cell(l.measured.median); }},
      {{"p10", "ms", "p10_s"}, [](const Line& l) { return milliseconds_cell(l.measured.p10); }},
      {{"p90", "ms", "p90_s"}, [](const Line& l) { return milliseconds_cell(l.measured.p90); }},
      {{"Share", "", "share_of_ceiling"},
       [](const Line& l) {
         const double share = l.ideal_s / l.measured.median;
         return fixed_cell(share, 1, 2, shortest(share));
       }},
  };
}

Table model_table(const BenchModel& model) {
  std::vector<Line> lines;
  for (const BenchOperator& op : model.operators) {
    lines.push_back({std::string(operator_name(op.kind)), pass_cell(op.pass), op.ideal_s,
                     op.predicted_s, op.measured});
  }
  lines.push_back({"layer", {"", ""}, model.ideal_s, model.predicted_s, model.measured});
  const LayerShape& s = model.shape;
  Table table = tabulate(model.name,
                         fmt::format("{}: {} tokens, {} experts of {} x {}", model.name, s.tokens,
                                     s.num_experts, s.hidden_size, s.expert_width),
                         line_columns(), lines);
  table.rows.back().after_rule = true;
  return table;
}

std::vector<ColumnOf<BenchRatio>> ratio_columns() {
  return {
      {{"Model", "", "model", Align::kLeft}, [](const BenchRatio& r) { return text_cell(r.name); }},
      {{"FLOPs", "", "flops"}, [](const BenchRatio& r) { return ratio_cell(r.flops); }},
      {{"Ideal", "", "ideal"}, [](const BenchRatio& r) { return ratio_cell(r.ideal); }},
      {{"Predicted", "", "predicted"}, [](const BenchRatio& r) { return ratio_cell(r.predicted); }},
      {{"Measured", "", "measured"}, [](const BenchRatio& r) { return ratio_cell(r.measured); }},
      {{"Miss", "%", "miss"}, [](const BenchRatio& r) { return percent_cell(r.miss()); }},
  };
}

std::string ceiling_line(const BenchCeilings& ceilings) {
  std::string text = fmt::format("Ceilings of this run: {:.1f} GFLOP/s; GB/s at MiB:",
                                 ceilings.flops_per_s * 1e-9);
  for (const BenchBandwidth& point : ceilings.bandwidth) {
    text += fmt::format(" {:.0f} at {}", point.bytes_per_s * 1e-9, point.footprint_bytes >> 20);
  }
  return text;
}

/// What the numbers say, in a sentence a model.
std::string verdict(const BenchRatio& ratio, const std::string& baseline) {
  return fmt::format("{} takes {:.3f} times as long as {} for {:.3f} times its FLOPs.", ratio.name,
                     ratio.measured, baseline, ratio.flops);
}

}  // namespace

Document to_document(const BenchResult& result) {
  const BenchMachine& machine = result.machine;
  Document document;
  document.heading = {fmt::format("{}: {}, {} {}", machine.backend, machine.name, machine.units,
                                  machine.backend == "cpu" ? "threads" : "multiprocessors"),
                      fmt::format("{}; {}", machine.library, machine.precision),
                      ceiling_line(result.ceilings)};
  for (const BenchModel& model : result.models) document.tables.push_back(model_table(model));
  if (!result.ratios.empty()) {
    document.tables.push_back(
        tabulate("ratio", fmt::format("All executed layers over {}'s", result.models.front().name),
                 ratio_columns(), result.ratios));
  }
  for (const BenchRatio& ratio : result.ratios) {
    document.notes.push_back(verdict(ratio, result.models.front().name));
  }
  document.notes.insert(document.notes.end(),
                        {"Ideal: max(FLOPs / peak, bytes / bandwidth) of this run. Predicted: from",
                         "layers of other shapes timed in this run. Share: ideal over measured."});
  for (const std::string& note : machine.notes) document.notes.push_back("Note: " + note);
  for (const std::string& warning : result.warnings) {
    document.notes.push_back("Warning: " + warning);
  }
  return document;
}

}  // namespace smelt
