// Whole outputs of every command in every form, against the files of tests/golden. To renew them
// after a change that is meant, run the tests with SMELT_UPDATE_GOLDEN=1 and read the difference.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "io/scratch_folder.hpp"
#include "process.hpp"

namespace fs = std::filesystem;

namespace {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  int status = 0;
};

/// The one figure that differs from run to run.
std::string without_duration(const std::string& text) {
  return std::regex_replace(text, std::regex(R"("elapsed_ms": [0-9.e+-]+)"), R"("elapsed_ms": 0)");
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void check_golden(const std::string& file, const std::string& text) {
  const fs::path path = fs::path(SMELT_GOLDEN) / file;
  INFO(path);
  if (std::getenv("SMELT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  CHECK(text == content(path));
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// An installation of its own: the program, and three presets of each kind at most, so that a
/// preset that joins leaves the golden listings alone.
class Installation {
 public:
  Installation() {
    fs::create_directories(folder_.path() / "bin");
    fs::copy_file(SMELT_PROGRAM, program());
    for (const char* file :
         {"models/baseline-200m-s95.json", "models/smelt-200m-s95.json", "rules/paper.json",
          "grids/paper.json", "spaces/loops-200m.json", "hardware/h100-sxm.json", "laws/smelt.json",
          "data/chinchilla-epoch.csv", "schemas/model.json", "schemas/cost-result.json"}) {
      const fs::path target = folder_.path() / "share/smelt/presets" / file;
      fs::create_directories(target.parent_path());
      fs::copy_file(fs::path(SMELT_PRESET_FILES) / file, target);
    }
  }
  [[nodiscard]] std::string program() const { return folder_.path() / "bin/smelt"; }

 private:
  ScratchFolder folder_{"installation"};
};

}  // namespace

TEST_CASE("every command in every form") {
  const Case cases[] = {
      {"cost", {"cost", "smelt-200m-s95"}},
      {"compare", {"compare", "baseline-200m-s95", "smelt-200m-s95", "baseline-200m-s97"}},
      {"match",
       {"match", "baseline-200m-s95", "--loop", "1/2x2", "--rules", "paper", "--top", "5"}},
      {"match-infeasible", {"match", "baseline-200m-s95", "--loop", "1/2x2", "--tol", "kv=1%"}, 1},
      {"grid", {"grid"}},
      {"time",
       {"time", "baseline-200m-s95", "smelt-200m-s95", "--device", "h100-sxm", "--tokens", "32k"}},
      {"infer", {"infer", SMELT_TEST_DATA "/paper-tables.json", "--top", "2"}, 1},
      {"sweep", {"sweep", "baseline-200m-s85", "--axis", "span", "--losses", "paper-span-s85"}, 1},
      {"search", {"search", "loops-200m"}},
      {"law-gain", {"law", "gain", "smelt", "baseline"}},
      {"law-plan", {"law", "plan", "--budget", "1e21", "--sparsity", "85%,95%,97%"}},
      {"law-predict", {"law", "predict", "smelt-200m-s95", "--tokens", "20B", "--sparsity", "95%"}},
  };
  for (const Case& c : cases) {
    for (const std::string format : {"table", "json", "csv", "markdown", "latex"}) {
      const Outcome outcome = smelt_run(with(c.arguments, {"--format", format}));
      CHECK(outcome.status == c.status);
      CHECK(outcome.err.empty());
      check_golden(std::string(c.name) + "." + format, without_duration(outcome.out));
    }
  }
}

TEST_CASE("listings in every form, from the presets beside the program") {
  const Installation installation;
  for (const std::string command : {"presets", "schema"}) {
    for (const std::string format : {"table", "json", "csv", "markdown", "latex"}) {
      Run request;
      request.program = installation.program();
      request.arguments = {command, "--format", format};
      const Outcome outcome = run(request);
      CHECK(outcome.status == 0);
      CHECK(outcome.err.empty());
      check_golden(command + "." + format, outcome.out);
    }
  }
}

TEST_CASE("help of the program and of every command") {
  const Case cases[] = {{"help", {"--help"}},
                        {"help-cost", {"cost", "--help"}},
                        {"help-compare", {"compare", "--help"}},
                        {"help-match", {"match", "--help"}},
                        {"help-grid", {"grid", "--help"}},
                        {"help-time", {"time", "--help"}},
                        {"help-bench", {"bench", "--help"}},
                        {"help-infer", {"infer", "--help"}},
                        {"help-sweep", {"sweep", "--help"}},
                        {"help-search", {"search", "--help"}},
                        {"help-merge", {"merge", "--help"}},
                        {"help-law-predict", {"law", "predict", "--help"}},
                        {"help-law-plan", {"law", "plan", "--help"}},
                        {"help-law-gain", {"law", "gain", "--help"}},
                        {"help-law-fit", {"law", "fit", "--help"}},
                        {"help-presets", {"presets", "--help"}},
                        {"help-schema", {"schema", "--help"}}};
  for (const Case& c : cases) {
    const Outcome outcome = smelt_run(c.arguments);
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    check_golden(std::string(c.name) + ".txt", outcome.out);
  }
}

TEST_CASE("tables and help fit 80 columns") {
  for (const fs::directory_entry& entry : fs::directory_iterator(SMELT_GOLDEN)) {
    const std::string extension = entry.path().extension();
    if (extension != ".table" && extension != ".txt") continue;
    std::istringstream lines(content(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      INFO(entry.path() << ": " << line);
      CHECK(line.size() <= 80);
    }
  }
}
