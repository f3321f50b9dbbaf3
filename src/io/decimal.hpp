#pragma once

#include <string>

#include "smelt/rational.hpp"

namespace smelt {

/// The value as a JSON number: exact where it has a decimal form of at most 18 places, else the
/// nearest double.
std::string decimal_text(const Rational& value);

}  // namespace smelt
