// Where output goes: streams, files, terminals, pipes that close, disks that are full.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "io/scratch_folder.hpp"
#include "process.hpp"
#include "smelt/json_value.hpp"

namespace fs = std::filesystem;

namespace {

const std::string kModel = "baseline-200m-s95";

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

bool has_colour(const std::string& text) { return text.find('\x1b') != std::string::npos; }

}  // namespace

TEST_CASE("a file by -o, and nothing on standard output") {
  const ScratchFolder folder("output");
  const fs::path file = folder.path() / "cost.txt";
  const Outcome outcome = smelt_run({"cost", kModel, "-o", file});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.empty());
  CHECK(content(file) == smelt_run({"cost", kModel}).out);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("further forms by --also in the same run") {
  const ScratchFolder folder("also");
  const fs::path json = folder.path() / "c.json";
  const fs::path csv = folder.path() / "c.csv";
  const Outcome outcome = smelt_run(
      {"cost", "--also", "json:" + json.string(), "--also", "csv:" + csv.string(), kModel});
  CHECK(outcome.status == 0);
  CHECK(outcome.out == smelt_run({"cost", kModel}).out);
  CHECK(content(json) == smelt_run({"cost", kModel, "--json"}).out);
  CHECK(content(csv) == smelt_run({"cost", kModel, "--format", "csv"}).out);
}

TEST_CASE("a failed run leaves every file as it was") {
  const ScratchFolder folder("atomic");
  const fs::path kept = folder.write("kept.json", "as it was");
  SECTION("a further file cannot be written") {
    const std::string missing = folder.path() / "missing/c.csv";
    const Outcome outcome = smelt_run({"cost", kModel, "-o", kept, "--also", "csv:" + missing});
    CHECK(outcome.status == 2);
    CHECK(outcome.err ==
          "smelt: error: " + missing + ": cannot write: No such file or directory\n");
  }
  SECTION("the request is wrong") {
    CHECK(smelt_run({"cost", kModel, "-o", kept, "--doc-len", "0"}).status == 2);
  }
  SECTION("the target is a directory") {
    const Outcome outcome =
        smelt_run({"cost", kModel, "-o", folder.path(), "--also", "json:" + kept.string()});
    CHECK(outcome.status == 2);
    CHECK(outcome.err ==
          "smelt: error: " + folder.path().string() + ": cannot write: Is a directory\n");
  }
  CHECK(content(kept) == "as it was");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a file that is replaced keeps its permissions, a link its target") {
  const ScratchFolder folder("replace");
  const fs::path file = folder.write("real.txt", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const fs::path link = folder.path() / "link.txt";
  fs::create_symlink(file, link);
  CHECK(smelt_run({"cost", kModel, "-o", link}).status == 0);
  CHECK(fs::is_symlink(link));
  CHECK(content(file) == smelt_run({"cost", kModel}).out);
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a device is written, not replaced") {
  CHECK(smelt_run({"cost", kModel, "-o", "/dev/null"}).status == 0);
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(smelt_run({"cost", kModel, "-o", "/dev/full"}).err ==
        "smelt: error: /dev/full: cannot write: No space left on device\n");
}

TEST_CASE("a full disk behind standard output is an error") {
  Run request;
  request.arguments = {"cost", kModel};
  request.output_file = "/dev/full";
  const Outcome outcome = run(request);
  CHECK(outcome.status == 2);
  CHECK(outcome.err == "smelt: error: standard output: cannot write: No space left on device\n");
}

TEST_CASE("a reader that closes the pipe ends the run in silence") {
  Run request;
  request.program = "/bin/sh";
  request.arguments = {"-c", "{ \"$0\" grid --json; echo status $? >&2; } | true", SMELT_PROGRAM};
  const Outcome outcome = run(request);
  CHECK(outcome.err == "status 0\n");
}

TEST_CASE("colour only on a terminal and without NO_COLOR") {
  Run request;
  request.arguments = {"compare", kModel, "smelt-200m-s95"};
  const Outcome piped = run(request);
  CHECK_FALSE(has_colour(piped.out));
  request.environment = {"TERM=xterm", "NO_COLOR="};
  Outcome terminal = run_on_terminal(request);
  CHECK(terminal.status == 0);
  CHECK(has_colour(terminal.out));
  request.environment = {"TERM=xterm", "NO_COLOR=1"};
  CHECK_FALSE(has_colour(run_on_terminal(request).out));
  request.environment = {"TERM=dumb", "NO_COLOR="};
  terminal = run_on_terminal(request);
  CHECK_FALSE(has_colour(terminal.out));
  terminal.out.erase(std::remove(terminal.out.begin(), terminal.out.end(), '\r'),
                     terminal.out.end());
  CHECK(terminal.out == piped.out);
}

TEST_CASE("a model from standard input costs what its preset does") {
  Run request;
  request.arguments = {"cost", "-", "--json"};
  request.input = smelt_run({"presets", kModel}).out;
  CHECK(run(request).out == smelt_run({"cost", kModel, "--json"}).out);
  request.input.clear();
  CHECK(run(request).status == 2);
}

TEST_CASE("the model of a result can be fed back") {
  const Outcome first = smelt_run({"cost", kModel, "--loop", "1/2x2", "--json"});
  const smelt::JsonValue result = smelt::parse_json(first.out);
  Run request;
  request.arguments = {"cost", "-", "--json"};
  request.input = smelt::write_json(*result.find("model"));
  CHECK(run(request).out == first.out);
}

TEST_CASE("SMELT_PRESETS adds presets before the program's own") {
  const ScratchFolder folder("presets");
  folder.write("models/tiny.json",
               R"({"model_type": "smelt", "hidden_size": 8, "num_hidden_layers": 2,
                   "num_attention_heads": 2, "intermediate_size": 16, "attended_keys": 4})");
  Run request;
  request.arguments = {"compare", "tiny", kModel};
  request.environment = {"SMELT_PRESETS=/nonexistent:" + folder.path().string()};
  const Outcome outcome = run(request);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("Deviation from tiny") == 0);
}

TEST_CASE("flags change the models they say they change") {
  const auto flops = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cost");
    arguments.emplace_back("--json");
    const smelt::JsonValue result = smelt::parse_json(smelt_run(arguments).out);
    return *result.find("flops")->find("training_per_token")->if_number();
  };
  CHECK(flops({kModel, "--doc-len", "783"}) == flops({kModel}));
  CHECK(flops({kModel, "--seq-len", "783"}) == flops({kModel}));
  // Documents of geometric law and mean T: a token sees T keys, nearly twice (T + 1) / 2.
  CHECK(flops({kModel, "--doc-len", "392", "--doc-law", "geometric"}) == flops({kModel}));
  CHECK(flops({kModel, "--attended-keys", "392"}) == flops({kModel}));
  CHECK(flops({kModel, "--attended-keys", "393"}) != flops({kModel}));
  CHECK(flops({"smelt-200m-s95", "--loop", "4-9x2"}) == flops({"smelt-200m-s95"}));
  CHECK(flops({"smelt-200m-s95", "--loop", "none"}) != flops({"smelt-200m-s95"}));
  CHECK(flops({kModel, "--set", "num_experts=336"}) == flops({"baseline-200m-s97"}));
}

TEST_CASE("a config without attended keys has its FLOPs left out in every form, not NaN") {
  for (const char* form : {"table", "json", "csv", "markdown", "latex"}) {
    INFO(form);
    const Outcome outcome =
        smelt_run({"cost", SMELT_TEST_DATA "/models/qwen3-4b.config.json", "--format", form});
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("nan") == std::string::npos);
    CHECK(outcome.out.find("inf") == std::string::npos);
  }
}

TEST_CASE("a config is matched at its longest context unless told otherwise, and says so") {
  const std::string file = SMELT_TEST_DATA "/models/qwen3-30b-a3b.config.json";
  const auto match = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"match",   file,          "--loop", "1/2x2",
                                          "--rules", "tensor-core", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Outcome outcome = smelt_run(arguments);
    outcome.out.resize(outcome.out.find("\"elapsed_ms\""));
    return outcome;
  };
  const Outcome longest = match({});
  CHECK(longest.status == 0);
  CHECK(longest.err.find("documents of 40960 tokens") != std::string::npos);
  const Outcome told = match({"--seq-len", "40960"});
  CHECK(told.err.empty());
  CHECK(told.out == longest.out);
  CHECK(match({"--seq-len", "4096"}).out != longest.out);
}

TEST_CASE("Megatron-LM's arguments are a MODEL") {
  const ScratchFolder folder("megatron");
  const fs::path file = folder.path() / "m.args";
  CHECK(smelt_run({"export", kModel, "--to", "megatron", "-o", file}).status == 0);
  const auto flops = [](const std::string& model) {
    const Outcome outcome = smelt_run({"cost", model, "--seq-len", "783", "--json"});
    const smelt::JsonValue json = smelt::parse_json(outcome.out);
    return *json.find("flops")->find("training_per_token")->if_number();
  };
  CHECK(flops(file) == flops(kModel));
  const Outcome set = smelt_run({"cost", file, "--set", "num_experts=4"});
  CHECK(set.status == 2);
  CHECK(set.err == "smelt: error: " + file.string() +
                       ": --set: goes with a JSON file, and these are Megatron-LM's arguments "
                       "(change the arguments themselves)\n");
}
