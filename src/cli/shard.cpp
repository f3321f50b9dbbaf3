#include "cli/shard.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr const char* kFlag = "--shard";
constexpr const char* kForms = "k/n with k from 1 to n, auto or auto/n";

/// How one scheduler numbers the tasks of a job by environment variables.
struct Scheduler {
  const char* name;
  const char* index;
  const char* lowest;  ///< of the indices; null: 0
  const char* count;   ///< null: it does not say
};
constexpr Scheduler kSchedulers[] = {
    // https://slurm.schedmd.com/job_array.html
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
    // https://kubernetes.io/docs/tasks/job/indexed-parallel-processing-static/
    {"Kubernetes", "JOB_COMPLETION_INDEX", nullptr, nullptr},
    // https://docs.open-mpi.org, mpirun's environment variables
    {"Open MPI", "OMPI_COMM_WORLD_RANK", nullptr, "OMPI_COMM_WORLD_SIZE"},
};

std::optional<std::int64_t> variable(const char* name) {
  const char* const text = name == nullptr ? nullptr : std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return parse_count(text, name, 0, kMostShards);
}

const Scheduler& scheduler_at_hand() {
  const Scheduler* found = nullptr;
  for (const Scheduler& scheduler : kSchedulers) {
    if (!variable(scheduler.index)) continue;
    if (found != nullptr) {
      throw InputError(kFlag, fmt::format("both {} and {} are set", found->index, scheduler.index),
                       "write the shard out, as in 3/8");
    }
    found = &scheduler;
  }
  if (found == nullptr) {
    throw InputError(kFlag, "no scheduler's variables are set",
                     "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or OMPI_COMM_WORLD_RANK");
  }
  return *found;
}

/// A Slurm array with a step (1-9:2) or holes (1,4,7) has indices beyond its count.
ShardChoice automatic(const std::optional<std::int64_t>& count_asked) {
  const Scheduler& scheduler = scheduler_at_hand();
  const auto count = variable(scheduler.count);
  if (!count && !count_asked) {
    throw InputError(
        kFlag, fmt::format("{} does not say how many shards there are", scheduler.name), "auto/n");
  }
  const Shard shard{*variable(scheduler.index) - variable(scheduler.lowest).value_or(0) + 1,
                    count_asked.value_or(count.value_or(0))};
  if (shard.index > shard.count || (count && *count != shard.count)) {
    throw InputError(
        kFlag, fmt::format("{} does not number {} shards one by one", scheduler.index, shard.count),
        "write the shard out, as in 3/8");
  }
  return {shard, fmt::format("{} ({})", scheduler.index, scheduler.name)};
}

}  // namespace

ShardChoice parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string index = text.substr(0, slash);
  std::optional<std::int64_t> count;
  if (slash != std::string::npos) {
    count = parse_count(text.substr(slash + 1), kFlag, 1, kMostShards);
  }
  if (index == "auto") return automatic(count);
  if (!count) throw InputError(kFlag, fmt::format("'{}' is no shard", text), kForms);
  const Shard shard{parse_count(index, kFlag, 1, kMostShards), *count};
  if (shard.index > shard.count) {
    throw InputError(kFlag, fmt::format("there is no shard {}", text), kForms);
  }
  return {shard, ""};
}

}  // namespace smelt::cli
