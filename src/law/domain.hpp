#pragma once

#include <string>

namespace smelt::law {

/// Throws InputError, with the variable's name as its place, where `value` is not finite or lies
/// outside the variable's domain: sparsity in [0, 1), visits from 1, shares in [0, 1], parts of a
/// parameter count from 0, everything else above 0.
void require_admissible(const std::string& variable, double value);

}  // namespace smelt::law
