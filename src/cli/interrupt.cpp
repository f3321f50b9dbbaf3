#include "cli/interrupt.hpp"

#include <csignal>

namespace smelt::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void handle(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::flag() { return interrupted; }

}  // namespace smelt::cli
