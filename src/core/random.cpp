#include "smelt/random.hpp"

#include <cassert>
#include <cmath>

namespace smelt {

namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

/// The finaliser of SplitMix64 (variant 13 of Stafford's mixers).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Natural logarithm of x > 0 from exactly rounded operations alone: the library's may differ in
/// its last bit from one system to the next. log x = e log 2 + 2 atanh((m - 1) / (m + 1)), with
/// m in [sqrt(1/2), sqrt(2)), where 12 terms of the series leave less than 1e-19.
double portable_log(double x) {
  constexpr double kLog2 = 0.693147180559945309417;
  constexpr double kSqrtHalf = 0.707106781186547524401;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kSqrtHalf) {
    m *= 2;
    --exponent;
  }
  const double z = (m - 1) / (m + 1);
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * z * z + 1.0 / k;
  return exponent * kLog2 + 2 * z * series;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
    : state_(mix(mix(seed + kGolden) ^ mix(stream * kGolden + 1))) {}

std::uint64_t RandomStream::bits() { return mix(state_ += kGolden); }

double RandomStream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t RandomStream::below(std::uint64_t bound) {
  assert(bound != 0);
  // The high half of bits x bound is uniform once the low products that occur one time too often
  // are rejected (Lemire, 2019).
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t surplus = (0 - bound) % bound;
  Wide product = 0;
  do {
    product = static_cast<Wide>(bits()) * bound;
  } while (static_cast<std::uint64_t>(product) < surplus);
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::normal() {
  double x = 0;
  double square = 0;
  do {
    x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  return x * std::sqrt(-2 * portable_log(square) / square);
}

}  // namespace smelt
