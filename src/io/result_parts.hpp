#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/attribution.hpp"
#include "smelt/control.hpp"
#include "smelt/cost.hpp"
#include "smelt/json_value.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// What the JSON forms of all results are made of.

JsonValue to_value(std::string_view text);
JsonValue to_value(Count count);
/// A finite number (an assertion): a result holds no NaN and no infinity.
JsonValue to_value(double number);

/// The keys that every result starts with: its schema and the program's version.
JsonValue::Object result_members(std::string_view command);

/// Every switch of a convention with its value.
JsonValue switches_value(const Convention& convention);

/// Which component each deviation comes from, by budget.
JsonValue attribution_value(const std::vector<ComponentDeviation>& parts);

JsonValue budget_value(const Budget& budget);
JsonValue deviation_value(const Deviation& deviation);

}  // namespace smelt
