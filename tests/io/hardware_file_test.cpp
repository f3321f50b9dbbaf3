#include "smelt/hardware_file.hpp"

#include <string>

#include "catch.hpp"
#include "smelt/error.hpp"
#include "smelt/presets.hpp"
#include "smelt/routing_file.hpp"

namespace smelt {
namespace {

Presets shipped() { return Presets({SMELT_TEST_DATA "/../../presets"}); }

/// Dense bf16 TFLOP/s, GB/s and multiprocessors as the vendors publish them.
TEST_CASE("shipped devices carry their published figures") {
  struct Row {
    const char* name;
    double bf16_teraflops;
    double gigabytes;
    std::int64_t multiprocessors;
  };
  const Row rows[] = {{"a100-sxm", 312, 2039, 108},   {"a100-pcie", 312, 1935, 108},
                      {"h100-sxm", 989.5, 3350, 132}, {"h100-pcie", 756.5, 2000, 114},
                      {"h200", 989.5, 4800, 132},     {"b200", 2250, 8000, 148},
                      {"l40s", 362, 864, 142},        {"rtx-4090", 165.2, 1008, 128},
                      {"mi300x", 1307.4, 5300, 304}};
  CHECK(shipped().names(PresetKind::kHardware).size() == std::size(rows));
  for (const Row& row : rows) {
    INFO(row.name);
    const Hardware device = shipped().hardware(row.name);
    CHECK(device.name == row.name);
    CHECK(device.peak(Precision::kBf16) == row.bf16_teraflops * 1e12);
    CHECK(device.memory_bandwidth_bytes_per_s == row.gigabytes * 1e9);
    CHECK(device.multiprocessors == row.multiprocessors);
    CHECK_FALSE(device.source.empty());
  }
  CHECK_FALSE(shipped().hardware("a100-sxm").peak(Precision::kFp8).has_value());
}

std::string error_of(const char* text) {
  try {
    read_hardware(parse_json(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("an unknown device is refused with the nearest name") {
  try {
    (void)shipped().hardware("h100-smx");
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "no hardware preset 'h100-smx' (did you mean 'h100-sxm'?)");
  }
}

TEST_CASE("mistakes of a device file") {
  CHECK(error_of("{}").find("/memory_bytes") != std::string::npos);
  const std::string text = error_of(
      R"({"dense_peak_flops_per_s": {"bf17": 1}, "memory_bandwidth_bytes_per_s": 0,
          "multiprocessors": 1, "l2_bytes": 1, "memory_bytes": 1, "source": "x", "cores": 2})");
  CHECK(text.find("/dense_peak_flops_per_s/bf17") != std::string::npos);
  CHECK(text.find("/memory_bandwidth_bytes_per_s") != std::string::npos);
  CHECK(text.find("/cores") != std::string::npos);
}

TEST_CASE("expert loads as a list of numbers") {
  CHECK(read_expert_loads(parse_json("[1, 2.5, 0]")) == std::vector<double>{1, 2.5, 0});
  CHECK_THROWS_AS(read_expert_loads(parse_json("{}")), InputError);
  CHECK_THROWS_AS(read_expert_loads(parse_json("[1, \"2\"]")), InputError);
}

}  // namespace
}  // namespace smelt
