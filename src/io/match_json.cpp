#include "io/result_parts.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"
#include "smelt/result_json.hpp"
#include "smelt/rules_file.hpp"

namespace smelt {
namespace {

JsonValue::Object design_members(const CompareRow& row) {
  return {{"model", model_json(row.model)},
          {"budget", budget_value(row.budget)},
          {"deviation", deviation_value(row.deviation)},
          {"max_abs_deviation", to_value(row.deviation.max_abs())},
          {"sparsity", to_value(row.sparsity)},
          {"attribution", attribution_value(row.attribution)}};
}

JsonValue designs_value(const std::vector<CompareRow>& rows) {
  JsonValue::Array designs;
  for (const CompareRow& row : rows) designs.push_back(JsonValue::object(design_members(row)));
  return JsonValue::array(std::move(designs));
}

JsonValue relaxations_value(const std::vector<RelaxationRow>& rows) {
  JsonValue::Array relaxations;
  for (const RelaxationRow& row : rows) {
    JsonValue::Object members = {
        {"rule", to_value(row.rule)}, {"from", to_value(row.from)}, {"to", to_value(row.to)}};
    for (auto& member : design_members(row.design)) members.push_back(std::move(member));
    relaxations.push_back(JsonValue::object(std::move(members)));
  }
  return JsonValue::array(std::move(relaxations));
}

/// A plain stack is a loop of no layers that run once.
JsonValue loop_value(const MatchReport& report) {
  const LoopSpan span = report.loop.value_or(LoopSpan{0, 0, 1});
  return JsonValue::object({{"start", to_value(Count(span.start))},
                            {"length", to_value(Count(span.length))},
                            {"visits", to_value(Count(span.visits))},
                            {"effective_layers", to_value(Count(report.effective_layers))}});
}

JsonValue tolerance_value(const Tolerance& tolerance) {
  return JsonValue::object({{"flops", to_value(tolerance.flops.to_double())},
                            {"params", to_value(tolerance.params.to_double())},
                            {"kv", to_value(tolerance.kv.to_double())}});
}

JsonValue certificate_value(const Certificate& certificate) {
  return JsonValue::object(
      {{"grid_points", to_value(certificate.grid_points)},
       {"evaluated", to_value(certificate.evaluated)},
       {"excluded_by_kv", to_value(certificate.excluded_by_kv)},
       {"excluded_by_flops_or_params", to_value(certificate.excluded_by_flops_or_params)},
       {"feasible", to_value(certificate.feasible)},
       {"complete", JsonValue::boolean(certificate.complete)}});
}

}  // namespace

std::string to_json(const MatchReport& report) {
  JsonValue::Object members = result_members("match");
  members.emplace_back("status", to_value(report.feasible() ? "optimal" : "infeasible"));
  members.emplace_back("objective", to_value(objective_name(report.objective)));
  members.emplace_back("convention", to_value(report.convention.name));
  members.emplace_back("control", to_value(report.control.name));
  members.emplace_back("baseline",
                       JsonValue::object({{"model", model_json(report.baseline.model)},
                                          {"budget", budget_value(report.baseline.budget)},
                                          {"sparsity", to_value(report.baseline.sparsity)}}));
  members.emplace_back("loop", loop_value(report));
  members.emplace_back("rules", rules_json(report.rules));
  members.emplace_back("tolerance", tolerance_value(report.rules.tolerance));
  members.emplace_back("certificate", certificate_value(report.certificate));
  members.emplace_back("candidates", designs_value(report.candidates));
  if (!report.feasible()) {
    members.emplace_back("nearest", designs_value(report.nearest));
    members.emplace_back("relaxations", relaxations_value(report.relaxations));
  }
  members.emplace_back("elapsed_ms", to_value(report.elapsed_ms));
  return write_json(JsonValue::object(std::move(members)));
}

}  // namespace smelt
