#include "smelt/random.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "catch.hpp"

using smelt::RandomStream;

namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
  double kurtosis = 0;  ///< fourth central moment over the squared variance
};

template <typename Draw>
Moments moments_of(int count, Draw draw) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(draw());
  Moments m;
  for (const double v : values) m.mean += v / count;
  double fourth = 0;
  for (const double v : values) {
    m.variance += std::pow(v - m.mean, 2) / count;
    fourth += std::pow(v - m.mean, 4) / count;
  }
  m.kurtosis = fourth / (m.variance * m.variance);
  return m;
}

}  // namespace

TEST_CASE("a stream repeats itself and differs from its neighbours") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      RandomStream one(seed, stream);
      RandomStream two(seed, stream);
      for (int k = 0; k < 10; ++k) {
        const std::uint64_t bits = one.bits();
        CHECK(bits == two.bits());
        seen.insert(bits);
      }
    }
  }
  CHECK(seen.size() == 20 * 20 * 10);
}

TEST_CASE("draws are pinned, so that a bootstrap of last year can be repeated") {
  RandomStream stream(1, 2);
  CHECK(stream.bits() == 0x843e1efd2f8296f);
  CHECK(stream.uniform() == 0x1.76c60a99952e0p-1);
  CHECK(stream.below(1000) == 785);
  CHECK(stream.normal() == -0x1.10a7d18d74573p-1);
}

TEST_CASE("uniform and normal draws have the moments of their laws") {
  // Bounds are five standard errors of each moment at this many draws.
  constexpr int kDraws = 200'000;
  const double root = std::sqrt(kDraws);
  RandomStream stream(7);
  const Moments uniform = moments_of(kDraws, [&] { return stream.uniform(); });
  CHECK(std::abs(uniform.mean - 0.5) < 5 * 0.2887 / root);
  CHECK(std::abs(uniform.variance - 1.0 / 12) < 5 * 0.0745 / root);
  CHECK(std::abs(uniform.kurtosis - 1.8) < 5 * 1.2 / root);
  const Moments normal = moments_of(kDraws, [&] { return stream.normal(); });
  CHECK(std::abs(normal.mean) < 5 / root);
  CHECK(std::abs(normal.variance - 1) < 5 * 1.4142 / root);
  CHECK(std::abs(normal.kurtosis - 3) < 5 * 4.899 / root);
}

TEST_CASE("the normal law's tails are there") {
  RandomStream stream(11);
  constexpr int kDraws = 100'000;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) beyond_two += std::abs(stream.normal()) > 2 ? 1 : 0;
  CHECK(std::abs(beyond_two / double{kDraws} - 0.0455) < 5 * std::sqrt(0.0455 / kDraws));
}

TEST_CASE("bounded integers are uniform and stay below their bound") {
  RandomStream stream(3);
  constexpr int kDraws = 60'000;
  for (const std::uint64_t bound : {1, 2, 3, 7, 10}) {
    std::vector<int> hits(bound, 0);
    for (int i = 0; i < kDraws; ++i) ++hits.at(stream.below(bound));
    const double expected = double{kDraws} / static_cast<double>(bound);
    for (const int count : hits) {
      INFO("bound " << bound);
      CHECK(std::abs(count - expected) <= 5 * std::sqrt(expected));
    }
  }
  // Two thirds of the range: one draw in three is rejected, and both halves stay equally likely.
  const std::uint64_t bound = 0xaaaaaaaaaaaaaaab;
  int low = 0;
  for (int i = 0; i < kDraws; ++i) low += stream.below(bound) < bound / 2 ? 1 : 0;
  CHECK(std::abs(low - kDraws / 2) < 5 * std::sqrt(kDraws / 4.0));
}
