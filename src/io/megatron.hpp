#pragma once

#include <string>

#include "smelt/model.hpp"

namespace smelt {

/// Megatron-LM's arguments for the model, one a line. Throws InputError where they read back as
/// another model.
std::string megatron_arguments(const Model& model);

}  // namespace smelt
