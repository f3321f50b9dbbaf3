#include "smelt/hardware_file.hpp"

#include "io/named_file.hpp"
#include "io/object_writer.hpp"
#include "smelt/object_reader.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kMostUnits = 1'000'000;
constexpr std::int64_t kMostPerSecond = 1'000'000'000'000'000'000;  // 1e18: bytes, FLOPs, a second

/// A rate in whole units a second; each type may be absent, but not all.
void read_peaks(ObjectReader& file, Hardware& hardware) {
  std::optional<ObjectReader> peaks = file.object("dense_peak_flops_per_s");
  if (!peaks) return;
  bool any = false;
  for (const Precision precision : kAllPrecisions) {
    const auto rate = peaks->count(precision_name(precision), 1, kMostPerSecond);
    if (!rate) continue;
    hardware.peaks[static_cast<std::size_t>(precision)] = static_cast<double>(*rate);
    any = true;
  }
  if (!any)
    peaks->fault("", "names no element type", "at least one of fp32, tf32, fp16, bf16, fp8");
  peaks->reject_unknown_keys();
}

}  // namespace

Hardware read_hardware(const JsonValue& json) {
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  file.require({"dense_peak_flops_per_s", "memory_bandwidth_bytes_per_s", "multiprocessors",
                "l2_bytes", "memory_bytes", "source"});
  Hardware hardware;
  hardware.name = file.string("name").value_or("");
  hardware.description = file.string("description").value_or("");
  read_peaks(file, hardware);
  hardware.memory_bandwidth_bytes_per_s = static_cast<double>(
      file.count("memory_bandwidth_bytes_per_s", 1, kMostPerSecond).value_or(1));
  hardware.multiprocessors = file.count("multiprocessors", 1, kMostUnits).value_or(1);
  hardware.l2_bytes = file.count("l2_bytes", 0, kMostPerSecond).value_or(0);
  hardware.memory_bytes = file.count("memory_bytes", 1, kMostPerSecond).value_or(1);
  hardware.source = file.string("source").value_or("");
  file.reject_unknown_keys();
  mistakes.throw_if_any();
  return hardware;
}

JsonValue hardware_json(const Hardware& hardware) {
  const auto whole = [](double rate) { return static_cast<std::int64_t>(rate); };
  ObjectWriter peaks;
  for (const Precision precision : kAllPrecisions) {
    if (const auto rate = hardware.peak(precision)) {
      peaks.count(std::string(precision_name(precision)).c_str(), whole(*rate));
    }
  }
  ObjectWriter out;
  out.add("name", JsonValue::string(hardware.name));
  out.add("description", JsonValue::string(hardware.description));
  out.add("dense_peak_flops_per_s", peaks.take());
  out.count("memory_bandwidth_bytes_per_s", whole(hardware.memory_bandwidth_bytes_per_s));
  out.count("multiprocessors", hardware.multiprocessors);
  out.count("l2_bytes", hardware.l2_bytes);
  out.count("memory_bytes", hardware.memory_bytes);
  out.add("source", JsonValue::string(hardware.source));
  return out.take();
}

Hardware read_hardware_file(const std::filesystem::path& path) {
  return read_named_file(path, read_hardware);
}

}  // namespace smelt
