#pragma once

#include <string>
#include <vector>

/// What a process has left behind.
struct Outcome {
  int status = 0;  ///< exit status; 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

/// How to run a process.
struct Run {
  std::vector<std::string> arguments;
  std::string input;                     ///< standard input
  std::vector<std::string> environment;  ///< "NAME=VALUE", beside that of the test
  std::string output_file;               ///< standard output goes there instead of `out`
  std::string program = SMELT_PROGRAM;
};

/// Runs it to its end with the three streams apart.
Outcome run(const Run& request);

/// smelt with these arguments.
Outcome smelt_run(std::vector<std::string> arguments);

/// smelt with its standard output on a terminal; `out` is what the terminal got.
Outcome run_on_terminal(const Run& request);
