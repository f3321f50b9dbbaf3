#pragma once

#include <string>

#include "smelt/search.hpp"

namespace smelt::cli {

/// A shard asked for: "k/n"; "auto" takes both from the scheduler's environment, "auto/n" the index
/// alone. `source` says which variable it came from.
struct ShardChoice {
  Shard shard;
  std::string source;  ///< "" where it was written out
};

/// Throws InputError at --shard.
ShardChoice parse_shard(const std::string& text);

/// The most shards of a search.
inline constexpr std::int64_t kMostShards = 1'000'000;

}  // namespace smelt::cli
