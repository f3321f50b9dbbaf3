#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smelt {

/// The element types whose matrix rate a device states.
enum class Precision { kFp32, kTf32, kFp16, kBf16, kFp8 };
inline constexpr std::size_t kNumPrecisions = 5;
inline constexpr std::array<Precision, kNumPrecisions> kAllPrecisions = {
    Precision::kFp32, Precision::kTf32, Precision::kFp16, Precision::kBf16, Precision::kFp8};

/// "fp32", "tf32", "fp16", "bf16", "fp8".
std::string_view precision_name(Precision precision);
/// Throws InputError at `where` naming the known ones.
Precision parse_precision(std::string_view text, std::string_view where);
/// Bytes of one element in memory; tf32 is stored as fp32.
std::int64_t element_bytes(Precision precision);

/// An accelerator as its vendor states it: what a roofline needs to know, and where it is written.
struct Hardware {
  std::string name;                            ///< "h100-sxm"
  std::string description;                     ///< the vendor's name for it
  double memory_bandwidth_bytes_per_s = 0;     ///< device memory, read plus write
  std::int64_t multiprocessors = 0;            ///< SMs; compute units on AMD
  std::int64_t l2_bytes = 0;                   ///< last-level cache before device memory
  std::int64_t memory_bytes = 0;               ///< device memory
  std::array<double, kNumPrecisions> peaks{};  ///< dense FLOP/s by Precision; 0: not supported
  std::string source;                          ///< where the figures are published

  /// Dense FLOP/s of matrix products (no structured sparsity); absent where the device has no such
  /// type.
  [[nodiscard]] std::optional<double> peak(Precision precision) const;

  friend bool operator==(const Hardware&, const Hardware&) = default;
};

}  // namespace smelt
