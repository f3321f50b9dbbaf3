#pragma once

#include <filesystem>
#include <string>

#include "smelt/json_value.hpp"
#include "smelt/rules.hpp"

namespace smelt {

/// Reads a rules file. An axis (hidden_size, num_experts, moe_intermediate_size, head_dim,
/// num_key_value_heads, kv_lora_rank) is a number, a list of numbers, or {"min", "max",
/// "multiple_of"} with any of the three left out; an axis left out leaves its bounds to the
/// problem, as Rules says. `ffn_ratio` and `query_ratio` are {"min", "max"}, `query_width` is
/// "hidden" or "free"; `tolerance` is required and names flops, params and kv, each a fraction
/// ("4%" or 0.04). Throws InputError with every mistake of the file, each at its JSON pointer.
Rules read_rules(const JsonValue& json);

/// The rules file at `path`; errors name it. Rules without a name take the file's.
Rules read_rules_file(const std::filesystem::path& path);

/// The rules as read_rules reads them back.
JsonValue rules_json(const Rules& rules);
/// rules_json as text.
std::string write_rules(const Rules& rules);

}  // namespace smelt
