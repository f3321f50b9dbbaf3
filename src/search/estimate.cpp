#include <algorithm>
#include <chrono>

#include "search/search_run.hpp"
#include "smelt/parallel.hpp"

namespace smelt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSamples = 32;
constexpr std::chrono::milliseconds kLongestSample{40};

/// Grid points and seconds of one block; where it takes long, the seconds by the share of its
/// points that a short walk comes past.
SearchEstimate sample(SearchRun& run, std::int64_t number, const SearchOptions& options) {
  const Clock::time_point start = Clock::now();
  double points_before = 1;
  BlockWalk::Hooks hooks;
  hooks.goes_on = [&] { return Clock::now() - start < kLongestSample; };
  hooks.at_point = [&](Count points) { points_before = points.to_double() + 1; };
  hooks.append = options.stream.append;
  hooks.flush = [](std::string& text) { text.clear(); };
  SearchEstimate block;
  const bool finished = run.walk(number, {}, hooks, [&](BlockResult& result) {
    block.grid_points = result.tally.grid_points.to_double();
  });
  block.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!finished) block.seconds *= std::max(1.0, block.grid_points / points_before);
  return block;
}

}  // namespace

SearchEstimate estimate(const SearchSpace& space, const SearchOptions& options) {
  SearchRun run(space, options);
  const std::int64_t samples = std::min(kSamples, run.blocks());
  SearchEstimate sum;
  for (std::int64_t i = 0; i < samples; ++i) {
    const SearchEstimate block = sample(run, i * run.blocks() / samples, options);
    sum.grid_points += block.grid_points;
    sum.seconds += block.seconds;
  }
  if (samples == 0) return sum;
  const double blocks_per_sample = static_cast<double>(run.blocks()) / static_cast<double>(samples);
  return {sum.grid_points * blocks_per_sample,
          sum.seconds * blocks_per_sample / resolve_threads(options.threads)};
}

}  // namespace smelt
