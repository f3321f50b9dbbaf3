#include "io/decimal.hpp"

#include <fmt/format.h>

#include "smelt/numbers.hpp"

namespace smelt {

std::string decimal_text(const Rational& value) {
  if (value.is_integer()) return std::to_string(value.num());
  std::int64_t power = 1;
  for (int places = 1; places <= 18; ++places) {
    power *= 10;
    if (power % value.den() != 0) continue;
    const std::int64_t whole = value.num() / value.den();
    const std::int64_t rest = value.num() % value.den();
    const std::int64_t fraction = (rest < 0 ? -rest : rest) * (power / value.den());
    return fmt::format("{}{}.{:0{}}", value.num() < 0 ? "-" : "", whole < 0 ? -whole : whole,
                       fraction, places);
  }
  return shortest(value.to_double());
}

}  // namespace smelt
