#pragma once

#include <string_view>

namespace smelt {

/// Why a minimisation ended.
enum class Termination {
  kGradient,       ///< the gradient vanished
  kStep,           ///< the steps vanished
  kNoDecrease,     ///< no shorter step lowers the objective further: round-off is reached
  kMaxIterations,  ///< not converged
  kBadStart,       ///< the model has no finite value at the start
};

/// "gradient", "step", "no decrease", "iteration limit", "bad start".
std::string_view termination_name(Termination termination);

/// Whether a minimum was reached: one of the first three.
bool converged(Termination termination);

}  // namespace smelt
