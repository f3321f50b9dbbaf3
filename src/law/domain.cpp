#include "law/domain.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "smelt/error.hpp"

namespace smelt::law {

namespace {

/// Where a variable may lie.
struct Domain {
  bool (*holds)(double);
  const char* words;
};

Domain domain_of(std::string_view variable) {
  if (variable == "sparsity") {
    return {[](double v) { return v >= 0 && v < 1; }, "at least 0 and below 1"};
  }
  if (variable == "recurrent_share") {
    return {[](double v) { return v >= 0 && v <= 1; }, "from 0 to 1"};
  }
  if (variable == "visits") return {[](double v) { return v >= 1; }, "at least 1"};
  if (variable == "once_params" || variable == "recurrent_params") {
    return {[](double v) { return v >= 0; }, "at least 0"};
  }
  return {[](double v) { return v > 0; }, "above 0"};
}

}  // namespace

void require_admissible(const std::string& variable, double value) {
  const Domain domain = domain_of(variable);
  if (std::isfinite(value) && domain.holds(value)) return;
  throw InputError(variable, fmt::format("{} is out of range", value), domain.words);
}

}  // namespace smelt::law
