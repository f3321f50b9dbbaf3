#include "smelt/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "match/best.hpp"
#include "match/grid.hpp"
#include "match/order.hpp"
#include "match/relaxation.hpp"
#include "smelt/error.hpp"

namespace smelt {

Objective parse_objective(std::string_view text, std::string_view where) {
  for (const Objective objective : {Objective::kMax, Objective::kSum, Objective::kScaled}) {
    if (objective_name(objective) == text) return objective;
  }
  throw InputError(std::string(where), fmt::format("unknown objective '{}'", text),
                   "max, sum or scaled");
}

std::string_view objective_name(Objective objective) {
  switch (objective) {
    case Objective::kSum:
      return "sum";
    case Objective::kScaled:
      return "scaled";
    case Objective::kMax:
      break;
  }
  return "max";
}

MatchResult solve(const MatchProblem& problem) {
  const DeclaredGrid grid(problem);
  MatchResult result;
  result.baseline = grid.baseline();
  Best best(Order(problem.objective, grid.baseline(), problem.rules.tolerance, grid.reference()),
            problem.top);
  result.certificate = grid.visit_within(windows_within(problem.rules.tolerance, grid.baseline()),
                                         [&](const Candidate& point) { return best.offer(point); });
  result.candidates = best.sorted(grid.baseline());
  if (result.candidates.empty()) {
    result.nearest = nearest_points(problem);
    if (problem.find_relaxations) result.relaxations = relaxations(problem);
  }
  return result;
}

}  // namespace smelt
