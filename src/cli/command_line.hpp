#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace smelt::cli {

/// What a command line asks for: a command to run, or (with none) a text to show.
struct Request {
  Command* command = nullptr;
  OutputFlags output;
  std::string text;  ///< help or version
};

/// Reads the command line (without the program's name) into the flags of one of the commands.
/// Throws InputError for what no command knows.
Request parse_command_line(const std::vector<std::unique_ptr<Command>>& commands,
                           const std::vector<std::string>& arguments);

}  // namespace smelt::cli
