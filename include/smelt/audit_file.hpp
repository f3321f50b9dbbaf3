#pragma once

#include <vector>

#include "smelt/audit.hpp"
#include "smelt/json_value.hpp"

namespace smelt {

/// Reads a file of studies: {"studies": [{"name", "arxiv", "looped": {...}, "baseline": {...},
/// "check_marks": {...}, "more_pairs": [{"pair", "looped", "baseline"}]}]}. A shape has the keys of
/// a model file; `inject` gives the shape of a matrix applied at each visit, `backprop_visits` adds
/// a row with the backward pass cut to the last so many. A null is unknown: a pair whose widths are
/// both unknown keeps its ratios where they follow from layer counts alone, and has none otherwise.
/// Throws InputError for a file of another form.
std::vector<AuditPair> read_audit_pairs(const JsonValue& json);

}  // namespace smelt
