#pragma once

#include <cstdint>
#include <optional>

#include "io/object_writer.hpp"
#include "smelt/attention.hpp"
#include "smelt/object_reader.hpp"

namespace smelt::native {

/// Latent attention where kv_lora_rank is given, linear where linear_num_value_heads is, else
/// grouped-query.
Attention read_attention(ObjectReader& file, std::optional<std::int64_t> hidden_size);

void write_attention(const Attention& attention, ObjectWriter& out);

}  // namespace smelt::native
