#include "smelt/sampling.hpp"

#include <cmath>

#include "catch.hpp"
#include "smelt/random.hpp"

namespace smelt {
namespace {

/// A machine whose clock only passes runs advance: a pass takes `seconds`, times noise, times
/// whatever the machine's state at that moment asks for.
class SimulatedMachine {
 public:
  explicit SimulatedMachine(std::uint64_t seed, double noise = 0) : random_(seed), noise_(noise) {}

  double slowdown_per_s = 0;  ///< linear drift
  double step_at_s = 1e30;    ///< from here on everything takes 1 + step
  double step = 0;

  TimedPass pass(double seconds) {
    return [this, seconds] {
      double taken = seconds * (1 + slowdown_per_s * now_) * std::exp(noise_ * random_.normal());
      if (now_ >= step_at_s) taken *= 1 + step;
      now_ += taken;
      return taken;
    };
  }

 private:
  RandomStream random_;
  double noise_;
  double now_ = 0;
};

TEST_CASE("quantiles by hand") {
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.1) == 2);
  CHECK(quantile({7}, 0.9) == 7);
  const SampleSummary summary = summarize({2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(summary.median == 2);
  CHECK(summary.half_width == 0);
  CHECK(summary.drift == 0);
  CHECK(std::isinf(summarize({1, 1, 1, 1, 1, 1, 1}).half_width));
}

TEST_CASE("a quiet machine needs the least samples, and no fewer") {
  SimulatedMachine machine(1);
  SamplingOptions options;
  options.least_s = 0;
  const InterleavedSamples quiet = interleave({machine.pass(0.01)}, options);
  CHECK(quiet.converged);
  CHECK(quiet.subjects[0].size() == 10);
  options.least_s = 0.3;
  CHECK(interleave({machine.pass(0.01)}, options).subjects[0].size() >= 30);
}

TEST_CASE("sampling converges to the median, and its interval covers it") {
  SamplingOptions options;
  options.limit_s = 1e9;
  int covered = 0;
  const int runs = 200;
  for (int run = 0; run < runs; ++run) {
    SimulatedMachine machine(static_cast<std::uint64_t>(run), 0.05);
    const InterleavedSamples samples = interleave({machine.pass(0.01)}, options);
    const SampleSummary summary = summarize(samples.subjects[0]);
    REQUIRE(samples.converged);
    REQUIRE(summary.half_width <= 0.01);
    REQUIRE(std::abs(summary.median / 0.01 - 1) < 0.03);
    REQUIRE(summary.p10 < summary.median);
    REQUIRE(summary.p90 > summary.median);
    covered += std::abs(summary.median / 0.01 - 1) <= summary.half_width ? 1 : 0;
  }
  // 95 % by construction; stopping at a narrow interval costs some of it.
  CHECK(covered >= 170);
}

TEST_CASE("a machine too noisy to converge stops at the limit and says so") {
  SimulatedMachine machine(3, 1.0);
  SamplingOptions options;
  options.limit_s = 1;
  options.half_width = 1e-6;
  const InterleavedSamples samples = interleave({machine.pass(0.01), machine.pass(0.02)}, options);
  CHECK_FALSE(samples.converged);
  CHECK(samples.subjects[0].size() == samples.subjects[1].size());
}

TEST_CASE("an injected drift of 30 % is found, and noise alone is not taken for one") {
  int false_alarms = 0;
  for (int run = 0; run < 200; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    SamplingOptions options;
    options.limit_s = 1e9;
    options.least_samples = 60;
    SimulatedMachine linear(seed, 0.02);
    linear.slowdown_per_s = 0.3 / 0.6;  // 30 % over sixty passes of 10 ms
    CHECK(summarize(interleave({linear.pass(0.01)}, options).subjects[0]).drifted);
    SimulatedMachine throttled(seed, 0.02);
    throttled.step_at_s = 0.3;
    throttled.step = 0.3;
    CHECK(summarize(interleave({throttled.pass(0.01)}, options).subjects[0]).drifted);
    SimulatedMachine steady(seed, 0.05);
    false_alarms += summarize(interleave({steady.pass(0.01)}, options).subjects[0]).drifted ? 1 : 0;
  }
  CHECK(false_alarms <= 2);
}

TEST_CASE("a linear drift cancels in the ratio of interleaved subjects") {
  SamplingOptions options;
  options.warm_up = 0;
  options.least_samples = 20;
  SimulatedMachine machine(5);
  machine.slowdown_per_s = 0.3 / (20 * 0.022);
  options.half_width = 1;
  options.least_s = 0;
  const auto samples = interleave({machine.pass(0.01), machine.pass(0.012)}, options).subjects;
  CHECK(std::abs(paired_ratio(samples[0], samples[1]) / 1.2 - 1) < 0.005);
  // One subject after the other would be wrong by more than a tenth.
  SimulatedMachine sequential(5);
  sequential.slowdown_per_s = machine.slowdown_per_s;
  const auto first = interleave({sequential.pass(0.01)}, options).subjects[0];
  const auto second = interleave({sequential.pass(0.012)}, options).subjects[0];
  CHECK(paired_ratio(first, second) / 1.2 - 1 > 0.1);
}

}  // namespace
}  // namespace smelt
