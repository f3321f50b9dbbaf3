#include "smelt/termination.hpp"

namespace smelt {

std::string_view termination_name(Termination termination) {
  switch (termination) {
    case Termination::kGradient:
      return "gradient";
    case Termination::kStep:
      return "step";
    case Termination::kNoDecrease:
      return "no decrease";
    case Termination::kMaxIterations:
      return "iteration limit";
    case Termination::kBadStart:
      break;
  }
  return "bad start";
}

bool converged(Termination termination) {
  return termination == Termination::kGradient || termination == Termination::kStep ||
         termination == Termination::kNoDecrease;
}

}  // namespace smelt
