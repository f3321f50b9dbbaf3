#include "report/attribution_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "smelt/numbers.hpp"

namespace smelt {
namespace {

/// The note of one budget of one row; "" where nothing deviates.
std::string note(const CompareRow& row, const char* budget, double whole,
                 double ComponentDeviation::*part) {
  std::vector<std::string> parts;
  for (const ComponentDeviation& each : row.attribution) {
    if (each.*part == 0) continue;
    std::string name(component_name(each.component));
    std::replace(name.begin(), name.end(), '_', ' ');
    parts.push_back(fmt::format("{} {}", name, signed_percent(each.*part, 3)));
  }
  if (parts.empty()) return {};
  return fmt::format("{}: {} {} = {}", row.model.name, budget, signed_percent(whole, 3),
                     fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::string> attribution_notes(const std::vector<CompareRow>& rows) {
  std::vector<std::string> notes;
  for (const CompareRow& row : rows) {
    notes.push_back(note(row, "FLOPs", row.deviation.flops, &ComponentDeviation::flops));
    notes.push_back(note(row, "params", row.deviation.params, &ComponentDeviation::params));
  }
  notes.erase(std::remove(notes.begin(), notes.end(), std::string()), notes.end());
  return notes;
}

}  // namespace smelt
