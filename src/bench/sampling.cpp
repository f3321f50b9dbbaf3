#include "smelt/sampling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace smelt {

namespace {

constexpr double kSmallestDrift = 0.05;
constexpr double kDriftStandardErrors = 3;
constexpr double kMadToSigma = 1.4826;           // of a normal distribution
constexpr double kMedianStandardError = 1.2533;  // sigma sqrt(pi / 2) / sqrt(n)
constexpr double kHalfNormal95 = 0.98;           // 1.96 x the binomial's sqrt(n) / 2

double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double relative_half_width(const std::vector<double>& sorted) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::floor(n / 2 - kHalfNormal95 * std::sqrt(n));
  if (rank < 1) return std::numeric_limits<double>::infinity();
  const auto index = static_cast<std::size_t>(rank) - 1;
  return (sorted[sorted.size() - 1 - index] - sorted[index]) / 2 / sorted_quantile(sorted, 0.5);
}

/// Standard error of the median from the median absolute deviation, which outliers do not move.
double median_error(const std::vector<double>& samples, double median) {
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - median));
  return kMedianStandardError * kMadToSigma * quantile(deviations, 0.5) /
         std::sqrt(static_cast<double>(samples.size()));
}

void find_drift(const std::vector<double>& samples, SampleSummary& summary) {
  const auto third = static_cast<std::ptrdiff_t>(samples.size() / 3);
  if (third < 2) return;
  const std::vector<double> first(samples.begin(), samples.begin() + third);
  const std::vector<double> last(samples.end() - third, samples.end());
  const double before = quantile(first, 0.5);
  const double after = quantile(last, 0.5);
  summary.drift = after / before - 1;
  const double error = std::hypot(median_error(first, before), median_error(last, after)) / before;
  summary.drifted =
      std::abs(summary.drift) > std::max(kSmallestDrift, kDriftStandardErrors * error);
}

bool has_enough(const std::vector<double>& samples, const SamplingOptions& options) {
  return samples.size() >= options.least_samples &&
         std::accumulate(samples.begin(), samples.end(), 0.0) >= options.least_s &&
         summarize(samples).half_width <= options.half_width;
}

}  // namespace

double quantile(std::vector<double> samples, double q) {
  assert(!samples.empty());
  std::sort(samples.begin(), samples.end());
  return sorted_quantile(samples, q);
}

SampleSummary summarize(const std::vector<double>& samples) {
  assert(!samples.empty());
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  SampleSummary summary{sorted_quantile(sorted, 0.5), sorted_quantile(sorted, 0.1),
                        sorted_quantile(sorted, 0.9), relative_half_width(sorted)};
  find_drift(samples, summary);
  return summary;
}

InterleavedSamples interleave(const std::vector<TimedPass>& subjects,
                              const SamplingOptions& options,
                              const std::function<void()>& before_round) {
  for (std::size_t pass = 0; pass < options.warm_up; ++pass) {
    for (const TimedPass& subject : subjects) subject();
  }
  InterleavedSamples result;
  result.subjects.resize(subjects.size());
  double elapsed = 0;
  const auto sample = [&](std::size_t subject) {
    result.subjects[subject].push_back(subjects[subject]());
    elapsed += result.subjects[subject].back();
  };
  // Asking after every round would stop at the first lucky interval: ask when there are a quarter
  // more samples than the last time.
  std::size_t next_check = options.least_samples;
  do {
    if (before_round) before_round();
    for (std::size_t i = 0; i < subjects.size(); ++i) sample(i);
    for (std::size_t i = subjects.size(); i > 0; --i) sample(i - 1);
    const std::size_t count = result.subjects.front().size();
    if (count < next_check) continue;
    next_check = count + count / 4;
    result.converged =
        std::all_of(result.subjects.begin(), result.subjects.end(),
                    [&](const auto& samples) { return has_enough(samples, options); });
  } while (!result.converged && elapsed < options.limit_s);
  return result;
}

double paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  assert(a.size() == b.size() && a.size() >= 2);
  std::vector<double> ratios;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) {
    ratios.push_back((b[i] + b[i + 1]) / (a[i] + a[i + 1]));
  }
  return quantile(ratios, 0.5);
}

}  // namespace smelt
