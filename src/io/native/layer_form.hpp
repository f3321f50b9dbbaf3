#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "io/object_writer.hpp"
#include "smelt/model.hpp"
#include "smelt/object_reader.hpp"

namespace smelt::native {

/// The keys of one layer: attention, feed-forward sublayer, norms and window. A value that is
/// missing or wrong is a mistake, and a harmless one takes its place.
Layer read_layer(ObjectReader& file, std::optional<std::int64_t> hidden_size);

/// A list of runs of like layers, each with its `count`; empty where the key is absent.
std::vector<Layer> read_layer_list(ObjectReader& file, std::string_view key,
                                   std::optional<std::int64_t> hidden_size);

void write_layer(const Layer& layer, ObjectWriter& out);

/// The runs of layers that differ in no more than their visits.
JsonValue layer_list_json(const std::vector<Layer>& layers);

}  // namespace smelt::native
