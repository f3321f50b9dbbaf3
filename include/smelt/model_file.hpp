#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "smelt/json_value.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// The largest size (hidden_size, num_experts, vocab_size, ...) that a model file may state. With
/// it the product of two sizes stays within 64 bits.
inline constexpr std::int64_t kLargestSize = 1'000'000'000;

/// Reads a model in smelt's own form ("model_type": "smelt", Hugging Face's keys, and `loop`), or a
/// Hugging Face config as import_hf_config does.
/// Throws InputError with every mistake of the file, each at its JSON pointer.
Model read_model(const JsonValue& json);

/// The model file at `path`, JSON or Megatron-LM's arguments; errors name it. A model without a
/// name takes the file's.
Model read_model_file(const std::filesystem::path& path);

/// The model in smelt's own form, as read_model reads it back. Attended keys that have no decimal
/// form (1/3) are rounded to a double. Throws InputError for a model without layers.
JsonValue model_json(const Model& model);
/// model_json as text.
std::string write_model(const Model& model);

}  // namespace smelt
