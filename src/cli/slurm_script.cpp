#include "cli/slurm_script.hpp"

#include <fmt/format.h>

namespace smelt::cli {
namespace {

/// The text as one word of a shell command.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

constexpr const char* kScript = R"(#!/bin/sh
# Submits a search of {shards} shards and, once all of them are done, their merge into result.json.
# `sh SCRIPT 3` runs shard 3 again and then the merge; so does `sh SCRIPT 2,5` with two.
set -eu
smelt=${{SMELT:-smelt}}
space={space}

array=$(sbatch --parsable --job-name=smelt-search --array="${{1:-1-{shards}}}" <<EOF
#!/bin/sh
exec "$smelt" search "$space" --yes --threads "\${{SLURM_CPUS_PER_TASK:-1}}" \\
  --shard "\$SLURM_ARRAY_TASK_ID/{shards}" -o "part-\$SLURM_ARRAY_TASK_ID.jsonl"
EOF
)
merge=$(sbatch --parsable --job-name=smelt-merge --dependency="afterok:${{array%%;*}}" <<EOF
#!/bin/sh
exec "$smelt" merge --json -o result.json{parts}
EOF
)
echo "array $array, merge $merge"
)";

}  // namespace

std::string slurm_script(const std::string& space, std::int64_t shards) {
  std::string parts;
  for (std::int64_t i = 1; i <= shards; ++i) parts += fmt::format(" \\\n  part-{}.jsonl", i);
  return fmt::format(kScript, fmt::arg("shards", shards), fmt::arg("space", quoted(space)),
                     fmt::arg("parts", parts));
}

}  // namespace smelt::cli
