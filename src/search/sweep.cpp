#include "smelt/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/enum_names.hpp"
#include "smelt/error.hpp"
#include "smelt/match_report.hpp"

namespace smelt {
namespace {

constexpr EnumNames<SweepAxis, 5> kAxes = {{{{SweepAxis::kSpan, "span"},
                                             {SweepAxis::kDepth, "depth"},
                                             {SweepAxis::kVisits, "visits"},
                                             {SweepAxis::kPosition, "position"},
                                             {SweepAxis::kExperts, "experts"}}}};

void require_within(SweepAxis axis, std::int64_t value, std::int64_t lowest, std::int64_t highest) {
  if (lowest <= value && value <= highest) return;
  throw InputError(std::string(sweep_axis_name(axis)), fmt::format("{} is out of range", value),
                   fmt::format("{} to {}", lowest, highest));
}

/// `length` layers in the middle of so many; absent for none, or for one visit.
std::optional<LoopSpan> middle_loop(std::int64_t num_layers, std::int64_t length,
                                    std::int64_t visits) {
  if (length == 0 || visits == 1) return std::nullopt;
  return LoopSpan{(num_layers - length) / 2, length, visits};
}

/// Looped layers of a stack of `num_layers` that keeps the share of the problem's.
std::int64_t proportional_length(const MatchProblem& problem, std::int64_t num_layers) {
  const Rational length = Rational(problem.loop->length, problem.num_layers) * Rational(num_layers);
  if (!length.is_integer()) {
    throw InputError("depth",
                     fmt::format("{} of {} layers is no whole number of them in a stack of {}",
                                 problem.loop->length, problem.num_layers, num_layers),
                     "depths that the loop's share divides");
  }
  return length.num();
}

SweepRow swept_row(const SweepRequest& request, std::size_t index) {
  const std::int64_t value = request.values[index];
  MatchProblem problem = problem_at(request.problem, request.axis, value);
  problem.find_relaxations = false;
  const MatchReport report = report_match(problem, solve(problem), request.control);
  if (!report.feasible() && report.nearest.empty()) {
    throw InputError(std::string(sweep_axis_name(request.axis)),
                     fmt::format("{} leaves the rules no grid point", value), "wider rules");
  }
  SweepRow row;
  row.value = value;
  row.feasible = report.feasible();
  row.design = report.feasible() ? report.candidates.front() : report.nearest.front();
  row.effective_layers = report.effective_layers;
  if (!request.losses.empty()) row.loss = request.losses[index];
  return row;
}

void mark_lowest_loss(std::vector<SweepRow>& rows) {
  std::optional<double> lowest;
  for (const SweepRow& row : rows) {
    if (row.loss && (!lowest || *row.loss < *lowest)) lowest = row.loss;
  }
  for (SweepRow& row : rows) row.lowest_loss = row.loss && *row.loss == *lowest;
}

}  // namespace

SweepAxis parse_sweep_axis(std::string_view text, std::string_view where) {
  return kAxes.parse(text, "axis", where);
}

std::string_view sweep_axis_name(SweepAxis axis) { return kAxes.of(axis); }

bool SweepResult::all_feasible() const {
  return std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) { return row.feasible; });
}

MatchProblem problem_at(const MatchProblem& problem, SweepAxis axis, std::int64_t value) {
  assert(problem.loop && "a sweep is of looped designs");
  MatchProblem result = problem;
  switch (axis) {
    case SweepAxis::kSpan:
      require_within(axis, value, 0, problem.num_layers);
      result.loop = middle_loop(problem.num_layers, value, problem.loop->visits);
      break;
    case SweepAxis::kDepth:
      require_within(axis, value, 1, kMostLayers);
      result.num_layers = value;
      result.loop = middle_loop(value, proportional_length(problem, value), problem.loop->visits);
      break;
    case SweepAxis::kVisits:
      require_within(axis, value, 1, kMostVisits);
      result.loop->visits = value;
      if (value == 1) result.loop.reset();
      break;
    case SweepAxis::kPosition:
      require_within(axis, value, 1, problem.num_layers - problem.loop->length + 1);
      result.loop->start = value - 1;
      break;
    case SweepAxis::kExperts:
      result.rules.num_experts = Axis{{}, {}, 1, {value}};
      break;
  }
  return result;
}

SweepResult sweep(const SweepRequest& request) {
  assert(request.losses.empty() || request.losses.size() == request.values.size());
  SweepResult result;
  result.axis = request.axis;
  result.rules = request.problem.rules;
  result.convention = request.problem.convention;
  result.objective = request.problem.objective;
  const CompareResult self = compare(
      {request.problem.baseline, {}, request.problem.convention, request.control, false, {}});
  result.baseline = self.baseline;
  for (std::size_t index = 0; index < request.values.size(); ++index) {
    result.rows.push_back(swept_row(request, index));
  }
  mark_lowest_loss(result.rows);
  return result;
}

}  // namespace smelt
