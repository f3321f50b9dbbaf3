#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"

namespace smelt::cli {

/// Where a result goes and in which forms: flags that every command has.
struct OutputFlags {
  std::optional<std::string> format;
  bool json = false;
  std::optional<std::string> file;
  std::vector<std::string> also;

  void declare(Flags& flags);
};

/// What OutputFlags ask for, checked.
struct OutputPlan {
  Form form;
  std::optional<std::string> file;  ///< absent: standard output
  struct Further {
    Form form;
    std::string file;
  };
  std::vector<Further> further;
};

/// Throws InputError with every mistake of the flags, or for a file that cannot be written.
OutputPlan output_plan(const OutputFlags& flags);

/// Writes the answer as planned: all files whole, or none of them, then standard output.
void write_answer(const Answer& answer, const OutputPlan& plan);

/// Writes to standard output. A reader that has closed the pipe has read enough: no error.
/// Throws InputError when the text cannot be written.
void write_stdout(std::string_view text);

}  // namespace smelt::cli
