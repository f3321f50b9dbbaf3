#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"

namespace smelt::cli {

/// What `smelt --help` prints.
std::string program_help(const std::vector<std::unique_ptr<Command>>& commands);

/// What `smelt COMMAND --help` prints.
std::string command_help(const Command& command, const std::vector<HelpEntry>& entries);

}  // namespace smelt::cli
