#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::chrono::milliseconds kBetween{200};
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs(kClearLine, stderr);
}

void ProgressLine::show(const SearchProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (!on_terminal_ || now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double done =
      static_cast<double>(progress.blocks_done) / static_cast<double>(progress.blocks);
  std::fputs(fmt::format("{}smelt: {:.0f} % of {} blocks, {} points/s, {} left", kClearLine,
                         100 * done, with_separators(progress.blocks),
                         with_unit(progress.grid_points.to_double() / seconds),
                         duration_text(seconds * (1 - done) / done))
                 .c_str(),
             stderr);
}

std::string duration_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  constexpr double kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.1f} h", seconds / kHour);
  return fmt::format("{} days", with_unit(seconds / kDay));
}

}  // namespace smelt::cli
