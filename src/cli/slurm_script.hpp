#pragma once

#include <cstdint>
#include <string>

namespace smelt::cli {

/// A shell script that submits a search as a Slurm job array, a shard each, and the merge as a job
/// that waits for all of them. Run with an array specification ("3" or "2,5") it runs those shards
/// again and then the merge.
std::string slurm_script(const std::string& space, std::int64_t shards);

}  // namespace smelt::cli
