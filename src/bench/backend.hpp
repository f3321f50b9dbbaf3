#pragma once

// Plain C++17; CUDA sources include it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/layer_run.hpp"

namespace smelt {

/// What the layers run on.
struct MachineInfo {
  std::string backend;           ///< "cpu" or "cuda"
  std::string name;              ///< processor or device
  std::string library;           ///< of the matrix products, with what it is asked to do
  std::string precision;         ///< element type that is really used
  std::int64_t units = 0;        ///< threads, or multiprocessors
  std::int64_t cache_bytes = 0;  ///< last-level cache
  std::vector<std::string> notes;
};

/// Bytes per second (read plus written) over a buffer of `footprint_bytes`.
struct BandwidthPoint {
  std::int64_t footprint_bytes = 0;
  double bytes_per_s = 0;
};

/// The rates that the machine gives to work that does nothing else.
struct Ceilings {
  double flops_per_s = 0;
  std::vector<BandwidthPoint> bandwidth;  ///< by rising footprint
};

/// A place to run layers on.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual MachineInfo machine() = 0;
  /// Asked for again and again while layers are timed.
  virtual Ceilings sample_ceilings() = 0;
  virtual std::unique_ptr<LayerRun> make_layer(const LayerShape& shape) = 0;
  /// Seconds of a fixed number of dependent operations on one unit: what the clock does between two
  /// calls shows in their ratio.
  virtual double clock_probe() = 0;
  /// Why a layer does not fit the machine (alignment, memory), and what would; empty when it fits.
  virtual std::string refusal(const LayerShape& shape) = 0;
};

}  // namespace smelt
