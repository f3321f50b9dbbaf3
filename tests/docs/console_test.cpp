// Runs every command that the documents show and compares what it prints. To renew the outputs
// after a change that is meant, run the tests with SMELT_UPDATE_DOCS=1 and read the difference.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"
#include "docs/console_blocks.hpp"
#include "io/scratch_folder.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = SMELT_SOURCE_DIR;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// README.md and the Markdown files of docs and examples.
std::vector<fs::path> documents() {
  std::vector<fs::path> found = {kRoot / "README.md"};
  for (const char* folder : {"docs", "examples"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

/// The shell that a reader types one document's commands into: in a copy of the example's folder,
/// or in an empty one, with smelt on the path and standard error on the terminal.
class Session {
 public:
  explicit Session(const fs::path& document) {
    const fs::path folder = document.parent_path();
    if (folder.parent_path() == kRoot / "examples") {
      fs::copy(folder, folder_.path(), fs::copy_options::recursive);
    }
  }

  std::string output_of(const std::string& command) {
    Run request;
    request.program = "/bin/sh";
    request.arguments = {"-c",
                         "exec 2>&1; unset SMELT_PRESETS; PATH=\"$1:$PATH\"; cd \"$2\"\n(exit " +
                             std::to_string(status_) + ")\n" + command,
                         "sh", fs::path(SMELT_PROGRAM).parent_path(), folder_.path()};
    const Outcome outcome = run(request);
    status_ = outcome.status;
    return outcome.out;
  }

 private:
  ScratchFolder folder_{"docs"};
  int status_ = 0;
};

bool machine_has(const std::string& tool) {
  return std::system(("command -v " + tool + " >/dev/null").c_str()) == 0;
}

}  // namespace

TEST_CASE("commands shown in the documents print what is shown") {
  const bool has_python = machine_has("python3");
  const bool update = std::getenv("SMELT_UPDATE_DOCS") != nullptr;
  for (const fs::path& document : documents()) {
    Session session(document);
    const std::string text = content(document);
    const std::string renewed = with_outputs(text, [&](const ShownCommand& shown) {
      if (!has_python && shown.command.rfind("python3 ", 0) == 0) return shown.output;
      const std::string output = session.output_of(shown.command);
      INFO(document << ": $ " << shown.command);
      if (!update) CHECK(output == shown.output);
      return output;
    });
    if (update) std::ofstream(document, std::ios::binary) << renewed;
  }
}

TEST_CASE("every example and the README show commands of smelt") {
  for (const fs::path& document : documents()) {
    const bool is_example = document.parent_path().parent_path() == kRoot / "examples";
    if (!is_example && document != kRoot / "README.md") continue;
    int commands = 0;
    with_outputs(content(document), [&](const ShownCommand& shown) {
      if (shown.command.rfind("smelt ", 0) == 0) ++commands;
      return shown.output;
    });
    INFO(document);
    CHECK(commands > 0);
  }
}

TEST_CASE("shown commands and outputs fit 80 columns") {
  const auto check_lines = [](const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  };
  for (const fs::path& document : documents()) {
    with_outputs(content(document), [&](const ShownCommand& shown) {
      INFO(document);
      check_lines("$ " + shown.command);
      check_lines(shown.output);
      return shown.output;
    });
  }
}

TEST_CASE("links between the documents lead to files") {
  const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  for (const fs::path& document : documents()) {
    const std::string text = content(document);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      INFO(document << ": " << it->str(1));
      CHECK(fs::exists(document.parent_path() / it->str(1)));
    }
  }
}

TEST_CASE("console blocks are read as a reader reads them") {
  const std::string text =
      "text\n$ no\n```console\n$ one \\\n  more\nout\n\n$ two\n```\n```sh\n$ three\n```\n";
  std::vector<std::string> seen;
  const std::string renewed = with_outputs(text, [&](const ShownCommand& shown) {
    seen.push_back(shown.command + "|" + shown.output);
    return "new\n";
  });
  CHECK(seen == std::vector<std::string>{"one \\\n  more|out\n\n", "two|"});
  CHECK(renewed ==
        "text\n$ no\n```console\n$ one \\\n  more\nnew\n$ two\nnew\n```\n```sh\n$ three\n```\n");
}
