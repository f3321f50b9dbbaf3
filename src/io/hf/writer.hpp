#pragma once

#include <string>

#include "smelt/json_value.hpp"
#include "smelt/model.hpp"

namespace smelt::hf {

/// A config of the first family that reads back as this very model, labels and attended keys aside.
/// Throws InputError where no family does.
JsonValue config_of(const Model& model);

}  // namespace smelt::hf
