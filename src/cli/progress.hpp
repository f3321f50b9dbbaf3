#pragma once

#include <chrono>
#include <string>

#include "smelt/search.hpp"

namespace smelt::cli {

/// A line on standard error that says how far a search is, at what rate, and how long it still
/// takes; nothing where standard error is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Clears the line.
  ~ProgressLine();

  void show(const SearchProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// "42 s", "3 min", "5.2 h", "12 days".
std::string duration_text(double seconds);

}  // namespace smelt::cli
