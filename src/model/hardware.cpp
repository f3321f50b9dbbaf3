#include "smelt/hardware.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "smelt/error.hpp"

namespace smelt {

std::string_view precision_name(Precision precision) {
  static constexpr std::array<std::string_view, kNumPrecisions> kNames = {"fp32", "tf32", "fp16",
                                                                          "bf16", "fp8"};
  return kNames[static_cast<std::size_t>(precision)];
}

Precision parse_precision(std::string_view text, std::string_view where) {
  std::vector<std::string_view> known;
  for (const Precision precision : kAllPrecisions) {
    known.push_back(precision_name(precision));
    if (known.back() == text) return precision;
  }
  throw InputError(std::string(where), fmt::format("unknown element type '{}'", text),
                   fmt::format("one of {}", fmt::join(known, ", ")));
}

std::int64_t element_bytes(Precision precision) {
  static constexpr std::array<std::int64_t, kNumPrecisions> kBytes = {4, 4, 2, 2, 1};
  return kBytes[static_cast<std::size_t>(precision)];
}

std::optional<double> Hardware::peak(Precision precision) const {
  const double flops_per_s = peaks[static_cast<std::size_t>(precision)];
  if (flops_per_s == 0) return std::nullopt;
  return flops_per_s;
}

}  // namespace smelt
