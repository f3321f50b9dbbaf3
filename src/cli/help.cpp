#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace smelt::cli {
namespace {

constexpr std::size_t kTerminalWidth = 80;

/// The words in lines of at most `width`, joined by `line_break`; a longer word stands alone.
std::string filled(std::string_view words, std::size_t width, const std::string& line_break) {
  std::string text;
  std::size_t used = 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (used > 0 && used + 1 + end > width) {
      text += line_break;
      used = 0;
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += words.substr(0, end);
    used += end;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text;
}

/// "  NAME   help", the help in a column that starts behind the widest name.
std::string entry_line(const std::string& name, std::size_t name_width, const std::string& help) {
  const std::size_t column = 2 + name_width + 1;
  const std::string indent = "\n" + std::string(column, ' ');
  return fmt::format("  {:<{}} {}\n", name, name_width,
                     filled(help, kTerminalWidth - column, indent));
}

constexpr std::size_t kArgumentWidth = 24;
constexpr std::size_t kCommandWidth = 12;

/// An example as a shell reads it, over as many lines as it takes.
std::string example_lines(const std::string& example) {
  return filled(example, kTerminalWidth - 6, " \\\n    ");
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
    text += entry_line(command->name(), kCommandWidth, command->summary());
  }
  return text +
         "\n"
         "smelt COMMAND --help says more and gives an example; smelt --version.\n"
         "A MODEL is a preset's name (smelt presets), a path, or - for standard input.\n"
         "Exit status: 0 done, 1 the answer is no, 2 wrong request or input,\n"
         "3 the machine lacks what was asked for.\n";
}

std::string command_help(const Command& command, const std::vector<HelpEntry>& entries) {
  std::string text =
      filled(command.summary() + ".", kTerminalWidth, "\n") +
      fmt::format("\n\nUsage: smelt {} [OPTIONS]{}\n", command.name(), usage_arguments(entries));
  std::string heading = "none yet";
  for (const HelpEntry& entry : entries) {
    if (entry.heading != heading) {
      text += entry.heading.empty() ? "\n" : "\n" + entry.heading + ":\n";
      heading = entry.heading;
    }
    text += entry_line(entry.argument, kArgumentWidth, entry.help);
  }
  return text + "\nExample:\n  " + example_lines(command.example()) + "\n";
}

}  // namespace smelt::cli
