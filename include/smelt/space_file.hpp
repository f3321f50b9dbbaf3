#pragma once

#include <filesystem>
#include <string>

#include "smelt/json_value.hpp"
#include "smelt/presets.hpp"
#include "smelt/search_space.hpp"

namespace smelt {

/// Reads a space. `baseline` and `rules` are each a preset's name, a path from `folder`, or the
/// model or rules themselves; `num_hidden_layers`, `num_experts_per_tok` and the members of `loop`
/// are a number, a list of numbers or {"min", "max", "multiple_of"}. Throws InputError with the
/// mistakes of the file, each at its JSON pointer.
SearchSpace read_space(const JsonValue& json, const Presets& presets,
                       const std::filesystem::path& folder = {});

/// The space file at `path`; errors name it. A space without a name takes the file's.
SearchSpace read_space_file(const std::filesystem::path& path, const Presets& presets);

/// The space as read_space reads it back, with everything that it names written out and every
/// default put in: equal spaces give equal text.
JsonValue space_json(const SearchSpace& space);

/// The hash by which parts know their space: fnv1a_64 of space_json on one line, less the name and
/// the description.
std::string space_hash(const SearchSpace& space);

}  // namespace smelt
