// smelt search and smelt merge as processes: shards, schedulers, interrupts, disks and pipes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/scratch_folder.hpp"
#include "process.hpp"
#include "smelt/json_value.hpp"

namespace fs = std::filesystem;
using smelt::JsonValue;
using smelt::parse_json;

namespace {

constexpr const char* kSmall = R"({
  "baseline": "baseline-200m-s95", "num_hidden_layers": [10, 12],
  "loop": {"length": ["1/2", 4], "visits": [2, 3]},
  "rules": "paper", "top": 3, "pareto": ["max_abs_deviation", "effective_depth_to_width"],
  "batch_tokens": 65536, "expert_parallel_degree": 8})";

/// Some 10^15 points on which a walk takes long.
constexpr const char* kHuge = R"({
  "baseline": "baseline-200m-s95", "loop": {"length": [1, 2, 3, 4, 5, 6], "start": "any", "visits": 2},
  "rules": {"hidden_size": {"min": 64}, "num_experts": {"max": 10000},
            "moe_intermediate_size": {"max": 10000}, "head_dim": {"min": 1, "max": 512},
            "num_key_value_heads": {"min": 1, "max": 64}, "query_width": "free",
            "tolerance": {"flops": "50%", "params": "50%", "kv": "50%"}},
  "pareto": ["max_abs_deviation", "ffn_ratio_distance"]})";

/// Many blocks, each soon done.
constexpr const char* kLong = R"({
  "baseline": "baseline-200m-s95", "rules": "paper",
  "loop": {"length": [1, 2, 3, 4, 5, 6], "start": "any", "visits": {"min": 2, "max": 200}}})";

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// A shell command with "$0" for smelt and "$1" for the folder.
Run shell(const std::string& command, const ScratchFolder& folder) {
  Run request;
  request.program = "/bin/sh";
  request.arguments = {"-c", command, SMELT_PROGRAM, folder.path()};
  return request;
}

/// The small space and its parts for n shards: part-1.jsonl to part-N.jsonl.
std::vector<std::string> write_parts(const ScratchFolder& folder, int count) {
  std::vector<std::string> parts;
  for (int k = 1; k <= count; ++k) {
    const std::string shard = std::to_string(k) + "/" + std::to_string(count);
    parts.push_back(folder.path() / ("part-" + std::to_string(k) + ".jsonl"));
    const Outcome outcome =
        smelt_run({"search", folder.path() / "small.json", "--shard", shard, "-o", parts.back()});
    REQUIRE(outcome.status == 0);
    REQUIRE(outcome.err.empty());
  }
  return parts;
}

Outcome merged(const std::vector<std::string>& parts, const std::string& format = "json") {
  std::vector<std::string> arguments = {"merge", "--format", format};
  arguments.insert(arguments.end(), parts.begin(), parts.end());
  return smelt_run(arguments);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a search prints the same bytes whatever the threads") {
  const ScratchFolder folder("search-threads");
  const std::string space = folder.write("small.json", kSmall);
  const Outcome one = smelt_run({"search", space, "--json", "--threads", "1"});
  CHECK(one.status == 0);
  CHECK(one.err.empty());
  for (const char* threads : {"2", "8"}) {
    CHECK(smelt_run({"search", space, "--json", "--threads", threads}).out == one.out);
  }
}

TEST_CASE("a search from its parts is the search of the whole, in every form") {
  const ScratchFolder folder("search-parts");
  const std::string space = folder.write("small.json", kSmall);
  std::vector<std::string> parts = write_parts(folder, 3);
  std::reverse(parts.begin(), parts.end());
  for (const std::string format : {"table", "json", "csv", "markdown", "latex"}) {
    const Outcome outcome = merged(parts, format);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == smelt_run({"search", space, "--format", format}).out);
  }
}

TEST_CASE("parts that are no whole are refused by name") {
  const ScratchFolder folder("search-refused");
  folder.write("small.json", kSmall);
  std::vector<std::string> parts = write_parts(folder, 3);
  const auto refusal = [&](const std::string& line) {
    const Outcome outcome = merged(parts);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "smelt: error: " + line + "\n");
  };
  SECTION("missing") {
    parts.erase(parts.begin() + 1);
    refusal("shard 2/3 is missing (3 parts; 2 are here)");
  }
  SECTION("doubled") {
    const std::string copy = folder.write("copy.jsonl", content(parts[0]));
    parts.push_back(copy);
    refusal(copy + ": is shard 1/3, and so is " + parts[0]);
  }
  SECTION("cut") {
    const std::string text = content(parts[2]);
    folder.write("part-3.jsonl", text.substr(0, text.size() / 2));
    refusal(parts[2] +
            ": is cut short or changed: its checksum does not fit (run its shard again)");
  }
  SECTION("changed") {
    std::string text = content(parts[2]);
    text[text.size() / 2] ^= 1;
    folder.write("part-3.jsonl", text);
    refusal(parts[2] +
            ": is cut short or changed: its checksum does not fit (run its shard again)");
  }
  SECTION("of another space") {
    std::string other = kSmall;
    folder.write("other.json", other.replace(other.find("\"top\": 3"), 8, "\"top\": 4"));
    const std::string part = folder.path() / "part-3.jsonl";
    REQUIRE(
        smelt_run({"search", folder.path() / "other.json", "--shard", "3/3", "-o", part}).status ==
        0);
    refusal(part + ": is a part of another space than " + parts[0]);
  }
  SECTION("of another number of shards") {
    REQUIRE(smelt_run({"search", folder.path() / "small.json", "--shard", "3/4", "-o", parts[2]})
                .status == 0);
    refusal(parts[2] + ": is shard 3/4, but " + parts[0] + " is one of 3");
  }
  SECTION("no part at all") {
    parts[0] = folder.path() / "small.json";
    refusal(parts[0] +
            ": is cut short or changed: its checksum does not fit (run its shard again)");
  }
}

TEST_CASE("a shard by --shard auto takes the scheduler's numbers and says which") {
  struct Case {
    std::vector<std::string> environment;
    std::string shard;
    std::string says;
  };
  const Case cases[] = {
      {{"SLURM_ARRAY_TASK_ID=12", "SLURM_ARRAY_TASK_MIN=10", "SLURM_ARRAY_TASK_COUNT=4"},
       "auto",
       "smelt: shard 3/4 from SLURM_ARRAY_TASK_ID (Slurm)\n"},
      {{"JOB_COMPLETION_INDEX=0"},
       "auto/2",
       "smelt: shard 1/2 from JOB_COMPLETION_INDEX (Kubernetes)\n"},
      {{"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2"},
       "auto",
       "smelt: shard 2/2 from OMPI_COMM_WORLD_RANK (Open MPI)\n"},
      {{"JOB_COMPLETION_INDEX=0"},
       "auto",
       "smelt: error: --shard: Kubernetes does not say how many shards there are (auto/n)\n"},
      {{},
       "auto",
       "smelt: error: --shard: no scheduler's variables are set (SLURM_ARRAY_TASK_ID, "
       "JOB_COMPLETION_INDEX or OMPI_COMM_WORLD_RANK)\n"},
      {{"SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_MIN=3", "SLURM_ARRAY_TASK_COUNT=1"},
       "auto/8",
       "smelt: error: --shard: SLURM_ARRAY_TASK_ID does not number 8 shards one by one (write the "
       "shard out, as in 3/8)\n"},
      {{"SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_MIN=1", "SLURM_ARRAY_TASK_COUNT=2",
        "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2"},
       "auto",
       "smelt: error: --shard: both SLURM_ARRAY_TASK_ID and OMPI_COMM_WORLD_RANK are set (write "
       "the shard out, as in 3/8)\n"},
      {{},
       "4/3",
       "smelt: error: --shard: there is no shard 4/3 (k/n with k from 1 to n, auto or "
       "auto/n)\n"},
      {{},
       "3",
       "smelt: error: --shard: '3' is no shard (k/n with k from 1 to n, auto or "
       "auto/n)\n"},
  };
  const ScratchFolder folder("search-auto");
  const std::string space = folder.write("small.json", kSmall);
  for (const Case& c : cases) {
    Run request;
    request.arguments = {"search", space, "--shard", c.shard, "-o", folder.path() / "p.jsonl"};
    request.environment = c.environment;
    const Outcome outcome = run(request);
    CHECK(outcome.err == c.says);
    CHECK(outcome.status == (has(c.says, "error") ? 2 : 0));
  }
}

TEST_CASE("wrong spaces are refused in one line") {
  struct Case {
    std::string from;
    std::string to;
    std::string line;
  };
  const std::string rules =
      R"({"hidden_size": {"min": 9, "max": 8}, "tolerance": {"flops": 1, "params": 1, "kv": 1}})";
  const std::string pointless =
      R"({"hidden_size": 1000, "tolerance": {"flops": 1, "params": 1, "kv": 1}})";
  const Case cases[] = {
      {"\"top\"", "\"tops\"", "/tops: unknown key (did you mean 'top'?)"},
      {"[2, 3]", "[]", "/loop/visits: is an empty list (at least one value)"},
      {"\"1/2\", 4", "13",
       "/loop: the space is empty: no loop fits any of its depths (lengths and starts within "
       "num_hidden_layers)"},
      {"\"paper\"", rules,
       "/rules: /hidden_size: 9 to 8 is an empty range (the smaller bound first)"},
      {"\"paper\"", pointless,
       "/rules: the space is empty: no point obeys them (wider bounds, or a query_width that is "
       "free)"},
      {"\"effective_depth_to_width\"", "\"depth\"",
       "/pareto/1: unknown metric 'depth' (one of max_abs_deviation, effective_depth_to_width, "
       "ffn_ratio_distance, rows_per_expert, tile_fill, expert_parallel_divisible, "
       "predicted_time_ratio)"},
      {"\"batch_tokens\": 65536, ", "", "/batch_tokens: is missing, and tile_fill needs it"},
      {"\"expert_parallel_degree\": 8", "\"num_experts_per_tok\": 5000",
       "num_experts: has no value on the grid (widen its bounds)"},
  };
  const ScratchFolder folder("search-wrong");
  for (const Case& c : cases) {
    std::string text = kSmall;
    if (c.to.empty()) {
      text.replace(text.find("\"max_abs_deviation\""), 19, "\"tile_fill\"");
    }
    REQUIRE(has(text, c.from));
    text.replace(text.find(c.from), c.from.size(), c.to);
    const std::string space = folder.write("wrong.json", text);
    const Outcome outcome = smelt_run({"search", space});
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    const bool of_the_file = !has(c.line, "space is empty") && !has(c.line, "on the grid");
    CHECK(outcome.err == "smelt: error: " + (of_the_file ? space + ": " : "") + c.line + "\n");
  }
}

TEST_CASE("a search that finds nothing answers no") {
  const ScratchFolder folder("search-none");
  const std::string space = folder.write(
      "none.json", R"({"baseline": "baseline-200m-s95", "loop": {"length": "1/2", "visits": 2},
                       "rules": "paper", "tolerance": {"kv": 0}})");
  const Outcome outcome = smelt_run({"search", space, "--json"});
  CHECK(outcome.status == 1);
  CHECK(*parse_json(outcome.out).find("counts")->find("feasible")->if_number() == "0");
}

TEST_CASE("a huge space is estimated, and refused without --yes") {
  const ScratchFolder folder("search-huge");
  const Outcome outcome = smelt_run({"search", folder.write("huge.json", kHuge)});
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "smelt: error: --yes: is missing for about "));
  CHECK(has(outcome.err, " points, some "));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

TEST_CASE("an interrupted search leaves what it has, and says so") {
  const ScratchFolder folder("search-interrupt");
  folder.write("huge.json", kHuge);
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome outcome =
        run(shell("timeout --preserve-status -s " + signal +
                      " 3 \"$0\" search \"$1/huge.json\" --yes --json --threads 2",
                  folder));
    CHECK(outcome.status == 130);
    const JsonValue result = parse_json(outcome.out);
    CHECK(*result.find("complete")->if_bool() == false);
    CHECK(has(outcome.err, "smelt: interrupted after "));
  }
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("an interrupted shard leaves no part") {
  const ScratchFolder folder("search-shard-interrupt");
  folder.write("huge.json", kHuge);
  const Outcome outcome =
      run(shell("timeout --preserve-status -s INT 2 \"$0\" search \"$1/huge.json\" --yes "
                "--threads 1 --shard 1/2 -o \"$1/part.jsonl\"",
                folder));
  CHECK(outcome.status == 130);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a stream holds every design within tolerance") {
  const ScratchFolder folder("search-stream");
  const std::string space = folder.write("small.json", kSmall);
  const fs::path stream = folder.path() / "designs.jsonl";
  const Outcome outcome = smelt_run({"search", space, "--stream", stream, "--json"});
  CHECK(outcome.status == 0);
  const std::string text = content(stream);
  const JsonValue result = parse_json(outcome.out);
  CHECK(std::to_string(std::count(text.begin(), text.end(), '\n')) ==
        *result.find("counts")->find("feasible")->if_number());
  const JsonValue first = parse_json(text.substr(0, text.find('\n')));
  CHECK(first.find("metrics")->find("tile_fill") != nullptr);
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("a full disk under a search is an error, and nothing is left half-written") {
  const ScratchFolder folder("search-full");
  const std::string space = folder.write("small.json", kSmall);
  const std::string full = "smelt: error: /dev/full: cannot write: No space left on device\n";
  CHECK(smelt_run({"search", space, "--stream", "/dev/full"}).err == full);
  CHECK(smelt_run({"search", space, "--stream", "/dev/full"}).status == 2);
  CHECK(smelt_run({"search", space, "--shard", "1/2", "-o", "/dev/full"}).err == full);
  CHECK(smelt_run({"search", space, "-o", "/dev/full"}).status == 2);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a search into a closed pipe ends quietly") {
  const ScratchFolder folder("search-pipe");
  folder.write("small.json", kSmall);
  const Outcome outcome =
      run(shell("{ \"$0\" search \"$1/small.json\" --json; echo status $? >&2; } | true", folder));
  CHECK(outcome.err == "status 0\n");
}

TEST_CASE("a stream into a pipe that closes is an error") {
  const ScratchFolder folder("search-fifo");
  folder.write("huge.json", kHuge);
  const Outcome outcome =
      run(shell("cd \"$1\"; mkfifo pipe; head -c 100 pipe >/dev/null & \"$0\" search huge.json "
                "--yes --threads 1 --stream pipe; echo status $?",
                folder));
  CHECK(outcome.out == "status 2\n");
  CHECK(outcome.err == "smelt: error: pipe: cannot write: Broken pipe\n");
}

TEST_CASE("progress stands on a terminal alone") {
  const ScratchFolder folder("search-progress");
  folder.write("long.json", kLong);
  const std::string command =
      "timeout --preserve-status -s INT 3 \"$0\" search \"$1/long.json\" --yes --threads 2 2>&1";
  const Outcome terminal = run_on_terminal(shell(command, folder));
  CHECK(has(terminal.out, " points/s, "));
  CHECK(has(terminal.out, " left"));
  CHECK_FALSE(has(run(shell(command, folder)).out, "points/s"));
}

TEST_CASE("the Slurm script submits the shards and the merge that waits for them") {
  const Outcome outcome = smelt_run({"search", "a space.json", "--emit-slurm", "3"});
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "space='a space.json'\n"));
  CHECK(has(outcome.out, "--array=\"${1:-1-3}\""));
  CHECK(has(outcome.out, "--dependency=\"afterok:"));
  CHECK(has(outcome.out, "part-3.jsonl"));
  const ScratchFolder folder("search-slurm");
  folder.write("job.sh", outcome.out);
  CHECK(run(shell("sh -n \"$1/job.sh\"", folder)).status == 0);
}
