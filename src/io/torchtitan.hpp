#pragma once

#include <string>

#include "smelt/model.hpp"

namespace smelt {

/// The arguments of torchtitan's qwen3 models, or of its deepseek_v3 for latent attention, as JSON.
/// Throws InputError for what they have no words for: they are read back and compared.
std::string torchtitan_arguments(const Model& model);

}  // namespace smelt
