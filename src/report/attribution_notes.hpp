#pragma once

#include <string>
#include <vector>

#include "smelt/compare_report.hpp"

namespace smelt {

/// "NAME: FLOPs +0.337 % = router +0.337 %" and the same for parameters, for each row and budget
/// that deviates: which component each deviation comes from.
std::vector<std::string> attribution_notes(const std::vector<CompareRow>& rows);

}  // namespace smelt
