#pragma once

#include <atomic>

namespace smelt::cli {

/// The exit status of a run that SIGINT or SIGTERM ended early: 128 + SIGINT, as shells have it.
inline constexpr int kInterrupted = 130;

/// Thrown to end an interrupted run that has nothing to print.
struct Interrupted {};

/// While it lives, the first SIGINT or SIGTERM sets a flag in place of ending the program; a second
/// one ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace smelt::cli
