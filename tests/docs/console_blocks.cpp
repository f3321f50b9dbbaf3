#include "docs/console_blocks.hpp"

#include <optional>
#include <sstream>

namespace {

constexpr const char* kPrompt = "$ ";

bool continues(const std::string& line) { return !line.empty() && line.back() == '\\'; }

}  // namespace

std::string with_outputs(const std::string& markdown,
                         const std::function<std::string(const ShownCommand&)>& output_of) {
  std::string renewed;
  std::optional<ShownCommand> shown;
  const auto finish = [&] {
    if (shown) renewed += output_of(*shown);
    shown.reset();
  };
  bool in_block = false;
  bool in_command = false;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (in_command) {
      shown->command += "\n" + line;
    } else if (in_block && line.rfind(kPrompt, 0) == 0) {
      finish();
      shown = ShownCommand{line.substr(2), ""};
    } else if (shown && line != "```") {
      shown->output += line + "\n";
      continue;
    } else if (line.rfind("```", 0) == 0) {
      finish();
      in_block = line == "```console";
    }
    in_command = in_block && shown && continues(line);
    renewed += line + "\n";
  }
  return renewed;
}
