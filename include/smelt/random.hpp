#pragma once

#include <cstdint>

namespace smelt {

/// A stream of pseudo-random numbers named by (seed, stream), the same on every machine, compiler
/// and standard library. Streams of one seed are independent of each other, so that task i of a
/// parallel job takes stream i and its draws depend neither on the thread nor on the order of work.
///
/// Draw number k is a fixed function of (seed, stream, k): SplitMix64 (Steele, Lea and Flood, 2014)
/// on a counter, started at a hash of both names. Not for cryptography.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0);

  /// 64 uniform bits.
  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  /// Uniform in {0, ..., bound - 1} without bias; bound must not be 0 (an assertion).
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (mean 0, variance 1), by Marsaglia's polar method.
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace smelt
