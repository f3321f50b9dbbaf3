#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace smelt::cli {

/// One line of help: an argument as it is written, and what it does.
struct HelpEntry {
  std::string heading;
  std::string argument;
  std::string help;
};

/// Declares the arguments of one command. Values stay text: smelt/numbers.hpp reads the numbers, so
/// that no digit is lost on the way. The variables named here outlive the parse.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(&app) {}

  /// The heading under which help lists the options that follow.
  void heading(std::string text) { heading_ = std::move(text); }
  [[nodiscard]] const std::vector<HelpEntry>& entries() const { return entries_; }

  /// One argument without a flag.
  void positional(const std::string& name, std::string& value, const std::string& help);
  void optional_positional(const std::string& name, std::optional<std::string>& value,
                           const std::string& help);
  /// One or more arguments without a flag; they come last.
  void positionals(const std::string& name, std::vector<std::string>& values,
                   const std::string& help);
  /// Any number of them, none included.
  void optional_positionals(const std::string& name, std::vector<std::string>& values,
                            const std::string& help);
  /// A flag with a value that help calls `value_name`.
  void option(const std::string& flag, const std::string& value_name,
              std::optional<std::string>& value, const std::string& help);
  /// The same, given any number of times.
  void repeatable(const std::string& flag, const std::string& value_name,
                  std::vector<std::string>& values, const std::string& help);
  /// A flag without a value.
  void toggle(const std::string& flag, bool& value, const std::string& help);

 private:
  void note(std::string argument, const std::string& help);

  CLI::App* app_;
  std::string heading_;
  std::vector<HelpEntry> entries_;
};

}  // namespace smelt::cli
