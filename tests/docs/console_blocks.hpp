#pragma once

#include <functional>
#include <string>

/// One command of a ```console block and the output printed below it.
struct ShownCommand {
  std::string command;  ///< without its "$ ", over several lines where each ends with a backslash
  std::string output;
};

/// The document with the output of every command in its ```console blocks replaced by what
/// `output_of` returns for it. Everything else is left as it is.
std::string with_outputs(const std::string& markdown,
                         const std::function<std::string(const ShownCommand&)>& output_of);
