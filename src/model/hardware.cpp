#include "smelt/hardware.hpp"

#include "core/enum_names.hpp"

namespace smelt {

namespace {

constexpr EnumNames<Precision, kNumPrecisions> kPrecisions = {{{{Precision::kFp32, "fp32"},
                                                                {Precision::kTf32, "tf32"},
                                                                {Precision::kFp16, "fp16"},
                                                                {Precision::kBf16, "bf16"},
                                                                {Precision::kFp8, "fp8"}}}};

}  // namespace

std::string_view precision_name(Precision precision) { return kPrecisions.of(precision); }
Precision parse_precision(std::string_view text, std::string_view where) {
  return kPrecisions.parse(text, "element type", where);
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
