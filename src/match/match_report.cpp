#include "smelt/match_report.hpp"

#include <fmt/format.h>

#include "smelt/sparsity.hpp"

namespace smelt {
namespace {

/// "NAME-4-9x2" for the first design, "NAME-4-9x2-2" and so on for those after it.
std::string design_name(const MatchProblem& problem, std::size_t index) {
  std::string name = problem.baseline.name.empty() ? "design" : problem.baseline.name;
  if (problem.loop) {
    name += fmt::format("-{}-{}x{}", problem.loop->start + 1,
                        problem.loop->start + problem.loop->length, problem.loop->visits);
  } else {
    name += "-unlooped";
  }
  return index == 0 ? name : fmt::format("{}-{}", name, index + 1);
}

CompareRow reported(const MatchProblem& problem, const Candidate& candidate, std::size_t index,
                    const Control& control) {
  CompareRow row{build_model(problem, candidate.dimensions),
                 candidate.budget,
                 candidate.deviation,
                 sparsity(candidate.budget.training_flops_per_token,
                          candidate.budget.non_embedding_params, control.figures),
                 {},
                 {}};
  row.attribution = attribute_deviation(row.model, problem.baseline, problem.convention);
  row.model.name = design_name(problem, index);
  return row;
}

}  // namespace

MatchReport report_match(const MatchProblem& problem, const MatchResult& result,
                         const std::optional<Control>& control) {
  MatchReport report;
  report.control = control ? *control : fully_active_control(problem.baseline, problem.convention);
  report.baseline = {problem.baseline,
                     result.baseline,
                     {},
                     sparsity(result.baseline.training_flops_per_token,
                              result.baseline.non_embedding_params, report.control.figures),
                     {},
                     {}};
  report.num_layers = problem.num_layers;
  report.loop = problem.loop;
  report.effective_layers =
      problem.num_layers + (problem.loop ? problem.loop->length * (problem.loop->visits - 1) : 0);
  report.rules = problem.rules;
  report.convention = problem.convention;
  report.objective = problem.objective;
  report.certificate = result.certificate;
  for (const Candidate& candidate : result.candidates) {
    report.candidates.push_back(
        reported(problem, candidate, report.candidates.size(), report.control));
  }
  for (const Candidate& candidate : result.nearest) {
    report.nearest.push_back(reported(problem, candidate, report.nearest.size(), report.control));
  }
  for (const Relaxation& relaxation : result.relaxations) {
    report.relaxations.push_back({relaxation.rule, relaxation.from, relaxation.to,
                                  reported(problem, relaxation.candidate, 0, report.control)});
  }
  return report;
}

}  // namespace smelt
