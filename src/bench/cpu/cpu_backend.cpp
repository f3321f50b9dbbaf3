#include <fmt/format.h>

#include "bench/cpu/cpu_ceilings.hpp"
#include "bench/cpu/cpu_layer.hpp"
#include "bench/cpu/cpu_machine.hpp"
#include "smelt/parallel.hpp"

namespace smelt {

namespace {

constexpr double kLargestLayerBytes = 16e9;

class CpuBackend : public Backend {
 public:
  CpuBackend(int threads, GemmLibrary library)
      : library_(library), team_(resolve_threads(threads)), ceilings_(library, team_) {}

  MachineInfo machine() override {
    return {"cpu",
            processor_name(),
            fmt::format("{}, one product a thread", gemm_library_name(library_)),
            "fp32",
            team_.size(),
            last_level_cache_bytes(),
            {"a CPU's ridge is a few FLOPs per byte: this checks the counting and the method, not "
             "what a GPU would do"}};
  }

  Ceilings sample_ceilings() override { return ceilings_.sample(); }

  std::unique_ptr<LayerRun> make_layer(const LayerShape& shape) override {
    return std::make_unique<CpuLayer>(shape, library_, team_);
  }

  double clock_probe() override { return cpu_clock_probe(); }

  std::string refusal(const LayerShape& shape) override {
    double bytes = 0;
    for (int i = 0; i < kNumTensors; ++i) {
      bytes += 4.0 * static_cast<double>(tensor_size(shape, static_cast<Tensor>(i)));
    }
    if (bytes <= kLargestLayerBytes) return {};
    return fmt::format(
        "one layer takes {:.1f} GB in fp32, more than {:.0f} (fewer tokens, or --reduce R)",
        bytes / 1e9, kLargestLayerBytes / 1e9);
  }

 private:
  GemmLibrary library_;
  Team team_;
  CpuCeilings ceilings_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads, GemmLibrary library) {
  return std::make_unique<CpuBackend>(threads, library);
}

}  // namespace smelt
