#include "cli/help.hpp"

#include <fmt/format.h>

namespace smelt::cli {
namespace {

void append_entry(std::string& text, const std::string& argument, const std::string& help) {
  text += fmt::format("  {:<24} {}\n", argument, help);
}

/// The arguments without a flag, as the usage line names them.
std::string usage_arguments(const std::vector<HelpEntry>& entries) {
  std::string text;
  for (const HelpEntry& entry : entries) {
    if (entry.argument.front() != '-') text += " " + entry.argument;
  }
  return text;
}

}  // namespace

std::string program_help(const std::vector<std::unique_ptr<Command>>& commands) {
  std::string text =
      "A budget-matching design calculator for looped and Mixture-of-Experts\n"
      "transformers.\n\n"
      "Usage: smelt COMMAND [ARGUMENTS]\n\n"
      "Commands:\n";
  for (const auto& command : commands) {
    text += fmt::format("  {:<9} {}\n", command->name(), command->summary());
  }
  return text +
         "\n"
         "smelt COMMAND --help says more and gives an example; smelt --version.\n"
         "A MODEL is a preset's name (smelt presets), a path, or - for standard input.\n"
         "Exit status: 0 done, 1 the answer is no, 2 wrong request or input,\n"
         "3 the machine lacks what was asked for.\n";
}

std::string command_help(const Command& command, const std::vector<HelpEntry>& entries) {
  std::string text = fmt::format("{}.\n\nUsage: smelt {} [OPTIONS]{}\n", command.summary(),
                                 command.name(), usage_arguments(entries));
  std::string heading = "none yet";
  for (const HelpEntry& entry : entries) {
    if (entry.heading != heading) {
      text += entry.heading.empty() ? "\n" : "\n" + entry.heading + ":\n";
      heading = entry.heading;
    }
    append_entry(text, entry.argument, entry.help);
  }
  return text + "\nExample:\n  " + command.example() + "\n";
}

}  // namespace smelt::cli
