#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "cli/help.hpp"
#include "smelt/error.hpp"
#include "smelt/version.hpp"

namespace smelt::cli {
namespace {

std::vector<std::string> names_of(const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const auto& command : commands) names.push_back(command->name());
  return names;
}

std::string nearest_or(const std::string& name, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const std::string near = did_you_mean(name, known);
  return near.empty() ? otherwise : near;
}

/// The command's name that the arguments begin with: two of them for a command of two words. "" for
/// no command.
std::string leading_name(const std::vector<std::string>& names,
                         const std::vector<std::string>& arguments) {
  std::string leading;
  for (const std::string& argument : arguments) {
    if (argument.find(' ') != std::string::npos) break;
    leading += (leading.empty() ? "" : " ") + argument;
    if (std::find(names.begin(), names.end(), leading) != names.end()) return leading;
  }
  return {};
}

/// The commands whose first word is `word`, where commands of two words begin with it.
std::vector<std::string> group_of(const std::vector<std::string>& names, const std::string& word) {
  std::vector<std::string> group;
  for (const std::string& name : names) {
    if (name.rfind(word + " ", 0) == 0) group.push_back(name);
  }
  return group;
}

/// CLI11's names hold no blank.
std::string one_word(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// The arguments in reverse, as CLI11 takes them, the command's name in one word.
std::vector<std::string> for_cli11(const std::string& name,
                                   const std::vector<std::string>& arguments) {
  const auto words = std::count(name.begin(), name.end(), ' ') + (name.empty() ? 0 : 1);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - words);
  if (!name.empty()) reversed.push_back(one_word(name));
  return reversed;
}

/// CLI11 would take an unknown command for a missing one.
void check_command_name(const std::vector<std::unique_ptr<Command>>& commands,
                        const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = names_of(commands);
  const std::string known = fmt::format("one of {}", fmt::join(names, ", "));
  if (arguments.empty()) throw InputError("", "a command is missing", known);
  const std::string& first = arguments.front();
  if (first.empty() || first.front() == '-' || !leading_name(names, arguments).empty()) return;
  const std::vector<std::string> group = group_of(names, first);
  if (!group.empty()) {
    throw InputError(first, "its second word is missing or unknown",
                     fmt::format("one of {}", fmt::join(group, ", ")));
  }
  throw InputError(first, "unknown command", nearest_or(first, names, known));
}

/// The flag of an argument: what stands before '='; "" for a value.
std::string flag_of(const std::string& argument) {
  const bool is_flag = argument.size() > 1 && argument.front() == '-';
  return is_flag ? argument.substr(0, argument.find('=')) : std::string();
}

std::vector<std::string> long_flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

/// CLI11 names the option at fault before a colon.
std::string option_at_fault(const CLI::ParseError& error) {
  const std::string text = error.what();
  return text.substr(0, text.find(':'));
}

/// Says what CLI11 tripped over; an unknown flag comes first, as the rest may follow from it.
[[noreturn]] void explain(const CLI::App& app, const std::string& command,
                          const CLI::ParseError& error) {
  const std::string more =
      command.empty() ? "see smelt --help" : fmt::format("see smelt {} --help", command);
  const std::vector<std::string> left = app.remaining();
  for (const std::string& argument : left) {
    const std::string flag = flag_of(argument);
    if (!flag.empty()) {
      throw InputError(flag, "unknown flag", nearest_or(flag, long_flags_of(app), more));
    }
  }
  if (!left.empty()) throw InputError(left.front(), "one argument too many", more);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = option_at_fault(error);
    const CLI::Option* const option = app.get_option_no_throw(name);
    const bool repeated = option != nullptr && option->count() > 1;
    throw InputError(name, repeated ? "is given twice" : "its value is missing", more);
  }
  throw InputError(command, error.what(), more);
}

/// CLI11's program of one command or of none, with what it needs while it parses.
class Program {
 public:
  Program(const std::vector<std::unique_ptr<Command>>& commands, OutputFlags& output) {
    app_.set_help_flag("-h,--help");
    app_.set_version_flag("--version", fmt::format("smelt {}\n", version()));
    app_.require_subcommand(1);
    for (const auto& command : commands) {
      CLI::App& app = *app_.add_subcommand(one_word(command->name()));
      app.set_help_flag("-h,--help");
      Flags& flags = flags_.emplace_back(app);
      command->declare(flags);
      output.declare(flags);
    }
  }

  CLI::App& app() { return app_; }
  /// Of the command with that index.
  const CLI::App& app(std::size_t index) { return *app_.get_subcommands({})[index]; }
  const std::vector<HelpEntry>& help(std::size_t index) { return flags_[index].entries(); }

 private:
  CLI::App app_{"", "smelt"};
  std::deque<Flags> flags_;
};

}  // namespace

Request parse_command_line(const std::vector<std::unique_ptr<Command>>& commands,
                           const std::vector<std::string>& arguments) {
  check_command_name(commands, arguments);
  Request request;
  Program program(commands, request.output);
  const std::vector<std::string> names = names_of(commands);
  const std::string name = leading_name(names, arguments);
  const auto index =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  const bool chosen = index < commands.size();
  try {
    program.app().parse(for_cli11(name, arguments));
  } catch (const CLI::CallForHelp&) {
    return {nullptr,
            {},
            chosen ? command_help(*commands[index], program.help(index)) : program_help(commands)};
  } catch (const CLI::CallForVersion& call) {
    return {nullptr, {}, call.what()};
  } catch (const CLI::ParseError& error) {
    explain(chosen ? program.app(index) : program.app(), name, error);
  }
  if (chosen) request.command = commands[index].get();
  return request;
}

}  // namespace smelt::cli
