#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace smelt {

/// When to stop taking samples.
struct SamplingOptions {
  std::size_t warm_up = 2;         ///< untimed passes of every subject
  std::size_t least_samples = 10;  ///< of every subject
  double least_s = 0.3;            ///< measured seconds of every subject
  double half_width = 0.01;        ///< wanted half-width of the median, relative
  double limit_s = 10;             ///< measured seconds of all subjects together: stop in any case
};

/// What a set of samples says. Times in seconds.
struct SampleSummary {
  double median = 0;
  double p10 = 0;
  double p90 = 0;
  /// Half of the 95 % confidence interval of the median, relative to it: from the order statistics
  /// of ranks n / 2 - 0.98 sqrt(n) and n + 1 less that, which assume no distribution. Infinite
  /// below eight samples.
  double half_width = 0;
  double drift = 0;      ///< median of the last third over that of the first, less 1
  bool drifted = false;  ///< |drift| passes 5 % and three of its standard errors
};

/// The q-quantile by linear interpolation between order statistics; needs at least one sample.
double quantile(std::vector<double> samples, double q);

/// Needs at least one sample, in the order of measurement.
SampleSummary summarize(const std::vector<double>& samples);

/// Runs one pass and returns its duration in seconds, on whatever clock it likes.
using TimedPass = std::function<double()>;

/// The samples of several subjects, in order of measurement; all have equally many, an even number.
struct InterleavedSamples {
  std::vector<std::vector<double>> subjects;
  bool converged = false;  ///< every median within the wanted half-width
};

/// Times the subjects in turn, forwards then backwards (A B B A), so that a drift of the machine
/// that is linear over a round falls on all alike. Stops after a round once every subject has its
/// least samples and seconds and its median is within the wanted half-width, or at the limit.
/// `before_round` runs untimed before each round.
InterleavedSamples interleave(const std::vector<TimedPass>& subjects,
                              const SamplingOptions& options,
                              const std::function<void()>& before_round = {});

/// Ratio of two subjects of one `interleave`: the median over rounds of (b + b) / (a + a).
double paired_ratio(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace smelt
