#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace smelt::hf {

/// A key by its usual name: the other names it goes by, and the values within reason.
struct KeySpec {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::int64_t lowest = 1;
  std::int64_t highest = 1'000'000'000;
};

/// The key's entry; one without aliases and with wide bounds where the table has none.
KeySpec key_spec(std::string_view name);

/// All keys of the table.
const std::vector<KeySpec>& key_specs();

/// Whether a key that nothing reads may change the count: it names experts, or any family counts by
/// it.
bool changes_count(std::string_view key);

}  // namespace smelt::hf
