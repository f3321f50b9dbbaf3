// What a wrong request gets: one line on standard error, nothing on standard output, exit 2.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "io/scratch_folder.hpp"
#include "process.hpp"

namespace {

struct Case {
  std::vector<std::string> arguments;
  const char* line;  // without "smelt: error: "
};

void check_errors(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    std::string shown;
    for (const std::string& argument : c.arguments) shown += " " + argument;
    INFO("smelt" << shown);
    const Outcome outcome = smelt_run(c.arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == std::string("smelt: error: ") + c.line + "\n");
  }
}

}  // namespace

TEST_CASE("times and measurements") {
  check_errors({
      {{"time", "smelt-200m-s95", "--tokens", "1k"},
       "--device: is missing (a name that `smelt presets` lists)"},
      {{"time", "smelt-200m-s95", "--device", "h100-sxm"},
       "--tokens: is missing (the tokens of one step)"},
      {{"time", "smelt-200m-s95", "--device", "tpu-v5p", "--tokens", "1k"},
       "no hardware preset 'tpu-v5p' (`smelt presets` lists them; a path has a / or ends in "
       ".json)"},
      {{"time", "smelt-200m-s95", "--device", "a100-sxm", "--tokens", "1k", "--dtype", "fp8"},
       "smelt-200m-s95: --dtype: a100-sxm states no rate for fp8"},
      {{"bench", "smelt-100m-s85", "--check", "8%"},
       "--check: compares two models (a Baseline and a matched model)"},
      {{"bench", "--backend", "gpu"}, "--backend: unknown backend 'gpu' (one of cpu, cuda)"},
      {{"bench", "--routing", "zipf:x"},
       "--routing: 'x' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
  });
}

TEST_CASE("a backend that is not there is one line and exit 3") {
  const Outcome outcome = smelt_run({"bench", "--backend", "cuda", "--reduce", "64"});
  if (outcome.status == 0) return;  // a machine with a GPU
  CHECK(outcome.status == 3);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("smelt: error: ") == 0);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

TEST_CASE("commands and flags") {
  check_errors({
      {{"cots"}, "cots: unknown command (did you mean 'cost'?)"},
      {{"--verison"}, "--verison: unknown flag (did you mean '--version'?)"},
      {{"cost"}, "cost: MODEL is required (see smelt cost --help)"},
      {{"compare", "baseline-200m-s95"}, "compare: MODEL is required (see smelt compare --help)"},
      {{"cost", "--convetion", "6n", "baseline-200m-s95"},
       "--convetion: unknown flag (did you mean '--convention'?)"},
      {{"cost", "baseline-200m-s95", "-x"}, "-x: unknown flag (see smelt cost --help)"},
      {{"cost", "baseline-200m-s95", "more"},
       "more: one argument too many (see smelt cost --help)"},
      {{"cost", "baseline-200m-s95", "--convention"},
       "--convention: its value is missing (see smelt cost --help)"},
      {{"cost", "baseline-200m-s95", "-o", "a", "-o", "b"},
       "--output: is given twice (see smelt cost --help)"},
      {{"cost", "baseline-200m-s95", "--format", "jsn"},
       "--format: unknown format 'jsn' (did you mean 'json'?)"},
      {{"cost", "baseline-200m-s95", "--json", "--format", "csv"},
       "--json: conflicts with --format csv (one of the two)"},
      {{"match", "baseline-200m-s95", "--loop", "1/2x2", "--hidden", "1..1e9%1"},
       "hidden_size: spans 1,000,000,000 sizes (at most 1,000,000)"},
      {{"cost", "baseline-200m-s95", "--also", "csv:-"},
       "--also: standard output is taken (a file, or --format for this form)"},
      {{"cost", "baseline-200m-s95", "--also", "csv"},
       "--also: 'csv' names no format and file (FORMAT:FILE, as in json:cost.json)"},
      {{"compare", "-", "-"}, "-: standard input can be read once (one MODEL from it)"},
  });
  CHECK(smelt_run({}).err.rfind("smelt: error: a command is missing (one of cost, ", 0) == 0);
}

TEST_CASE("values") {
  check_errors({
      {{"cost", "baseline-200m-s95", "--doc-len", "0"},
       "--doc-len: 0 is too small (a whole number from 1 to 1,000,000,000,000)"},
      {{"cost", "baseline-200m-s95", "--doc-len", "-3"},
       "--doc-len: -3 is too small (a whole number from 1 to 1,000,000,000,000)"},
      {{"cost", "baseline-200m-s95", "--seq-len", "99999999999999999999"},
       "--seq-len: 99999999999999999999 is out of range (at most 18 digits, and below 9.2e18)"},
      {{"cost", "baseline-200m-s95", "--seq-len", "2.5"},
       "--seq-len: 2.5 is not a whole number (a whole number from 1 to 1,000,000,000,000)"},
      {{"cost", "baseline-200m-s95", "--attended-keys", "nan"},
       "--attended-keys: 'nan' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
      {{"cost", "baseline-200m-s95", "--attended-keys", "0"},
       "--attended-keys: 0 is too small (above 0)"},
      {{"cost", "baseline-200m-s95", "--attended-keys", "1", "--doc-len", "1"},
       "--attended-keys, --doc-len, --seq-len: exclude each other (give one of them)"},
      {{"cost", "baseline-200m-s95", "--doc-law", "geometric"},
       "--doc-law: goes with --doc-len (give --doc-len T too)"},
      {{"cost", "baseline-200m-s95", "--loop", "4-19x2"},
       "--loop: layers 4-19 leave the stack (first to last within 1 to 12)"},
      {{"sweep", "baseline-200m-s95"},
       "--axis: is missing (span, depth, visits, position or experts)"},
      {{"sweep", "baseline-200m-s95", "--axis", "width"},
       "--axis: unknown axis 'width' (one of span, depth, visits, position, experts)"},
      {{"sweep", "baseline-200m-s95", "--axis", "span", "--values", "0,14"},
       "--values: span: 14 is out of range (0 to 12)"},
      {{"sweep", "baseline-200m-s95", "--axis", "span", "--values", "9..8"},
       "--values: '9..8' has none (LO..HI%STEP)"},
      {{"sweep", "baseline-200m-s95", "--axis", "depth", "--losses", "paper-span-s85"},
       "--losses: depth: no column of that name (one of span, loss)"},
      {{"infer", SMELT_TEST_DATA "/paper-tables.json", "--ffn", "8,16"},
       "--ffn: '8,16' is a list (a value or a range LO..HI%STEP)"},
      {{"infer", SMELT_TEST_DATA "/paper-tables.json", "--ffn-kind", "round"},
       "--ffn-kind: 'round' is unknown (gated, plain or any)"},
      {{"cost", "baseline-200m-s95", "--control", "flops=1"},
       "--control: params is missing in 'flops=1' (flops=F,params=N)"},
      {{"cost", "baseline-200m-s95", "--kv-dtype", "fp7"},
       "--kv-dtype: unknown cache type 'fp7' (one of bf16, fp8, fp32, int4)"},
      {{"match", "baseline-200m-s95", "--loop", "1/2x2", "--query-width", "hidden", "--query-ratio",
        "0.9..1.1"},
       "--query-ratio: has no effect with --query-width hidden (one of the two)"},
      {{"cost", "baseline-200m-s95", "--kv-policy", "budget"},
       "--kv-policy: 'budget' needs a number of visits (budget=2 for two)"},
      {{"cost", "baseline-200m-s95", "--kv-policy", "budget=0"},
       "--kv-policy: 0 is too small (a whole number from 1 to 1,000,000)"},
      {{"cost", "baseline-200m-s95", "--set", "num_experts"},
       "--set: 'num_experts' sets no key (KEY=VALUE, as in num_experts=64)"},
      {{"cost", "baseline-200m-s95", "--set", "num_expert=8"},
       "baseline-200m-s95: /num_expert: unknown key (did you mean 'num_experts'?)"},
      {{"cost", "baseline-200m-s95", "--set", "num_experts=1M", "--set", "hidden_size=1M", "--set",
        "num_hidden_layers=10k", "--set", "moe_intermediate_size=1_000_000"},
       "baseline-200m-s95: a count passes 9.2e18, the largest 64-bit integer (smaller "
       "dimensions)"},
      {{"schema", "modle"}, "modle: no schema of that name (did you mean 'model'?)"},
      {{"presets", "smelt200m-s95"},
       "smelt200m-s95: no preset of that name (did you mean 'smelt-200m-s95'?)"},
      {{"presets", "paper", "--format", "csv"},
       "--format: a file has no form 'csv' (table or json, which print it as it stands)"},
  });
  CHECK(smelt_run({"cost", "baseline-200m-s59"}).err.find("did you mean 'baseline-200m-s95'?") !=
        std::string::npos);
  CHECK(smelt_run({"cost", "baseline-20m-s95"}).err.find("did you mean 'baseline-200m-s95'?") !=
        std::string::npos);
}

TEST_CASE("every mistake of a request and of a file has its line") {
  const Outcome flags =
      smelt_run({"cost", "baseline-200m-s95", "--format", "a", "--also", "b", "--also", "c:d"});
  CHECK(flags.status == 2);
  CHECK(std::count(flags.err.begin(), flags.err.end(), '\n') == 3);

  const ScratchFolder folder("errors");
  const std::string file = folder.write(
      "model.json", R"({"model_type": "smelt", "hidden_size": 0, "num_hidden_layers": 2.5,
                        "num_attention_heads": 2, "intermediate_size": 4, "surprise": 1})");
  const Outcome outcome = smelt_run({"cost", file});
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  for (const std::string where : {": /hidden_size: ", ": /num_hidden_layers: ", ": /surprise: "}) {
    CHECK(outcome.err.find("smelt: error: " + file + where) != std::string::npos);
  }
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 3);
}
