#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/layer_shape.hpp"
#include "smelt/model.hpp"
#include "smelt/operators.hpp"
#include "smelt/routing.hpp"
#include "smelt/sampling.hpp"

namespace smelt {

/// Where layers are timed.
enum class BenchBackend { kCpu, kCuda };

/// What the caches hold when an operator is timed.
enum class BenchCache {
  kSequence,  ///< what the operators before it left, as in a real step
  kHot,       ///< its own operands: it has just run
  kCold,      ///< nothing: twice the last-level cache has been written in between
};

/// How a GPU multiplies the rows of all experts.
enum class ExpertKernel {
  kLoop,     ///< one library product an expert
  kStrided,  ///< one batched product, every expert padded to the fullest one's rows
  kGrouped,  ///< the library's grouped product: sizes on the host, pointers on the device
  kNative,   ///< an own persistent kernel that reads the counts on the device
};

/// Each throws InputError at `where` naming the known ones.
BenchBackend parse_bench_backend(std::string_view text, std::string_view where);
BenchCache parse_bench_cache(std::string_view text, std::string_view where);
ExpertKernel parse_expert_kernel(std::string_view text, std::string_view where);
std::string_view bench_cache_name(BenchCache cache);
std::string_view expert_kernel_name(ExpertKernel kernel);

/// What to time.
struct BenchOptions {
  BenchBackend backend = BenchBackend::kCpu;
  std::int64_t tokens = 2080;  ///< of one step, before the reduction
  /// Divides tokens and experts alike: every expert keeps its rows and widths, and the machine does
  /// that much less. Experts never fall below k.
  std::int64_t reduction = 1;
  RoutingLaw routing;
  BenchCache cache = BenchCache::kSequence;
  int threads = 0;                                      ///< CPU; 0: one per core
  ExpertKernel expert_kernel = ExpertKernel::kGrouped;  ///< CUDA
  bool bf16 = true;                                     ///< CUDA; the CPU computes in fp32
  std::uint64_t seed = 1;
  SamplingOptions sampling;
};

/// Three times of one operator. Seconds.
struct BenchOperator {
  OperatorKind kind{};
  Pass pass{};
  Count flops;
  Count bytes;
  double ideal_s = 0;      ///< max(flops / peak, bytes / bandwidth), both measured in this run
  double predicted_s = 0;  ///< from layers of other shapes timed in this run
  SampleSummary measured;
  std::vector<double> samples;

  /// What part of the ceiling the measured time reaches.
  [[nodiscard]] double share_of_ceiling() const { return ideal_s / measured.median; }
};

/// One layer of a model, and what its whole stack makes of it.
struct BenchModel {
  std::string name;
  LayerShape shape;
  std::vector<std::int64_t> expert_rows;
  std::int64_t executed_layers = 0;
  std::vector<BenchOperator> operators;
  double ideal_s = 0;  ///< of one layer, as the two below
  double predicted_s = 0;
  SampleSummary measured;
  std::vector<double> samples;        ///< sums over the operators of one pass
  std::vector<double> graph_samples;  ///< of the layer as one captured graph; CUDA only
  std::vector<std::pair<std::string, double>> host_s;  ///< beside the operators, by name
};

/// Time of a model's stack over the first one's. A stack is its executed layers.
struct BenchRatio {
  std::string name;
  double flops = 0;  ///< of matrix products
  double ideal = 0;
  double predicted = 0;
  double measured = 0;  ///< median over rounds

  /// |predicted / measured - 1|
  [[nodiscard]] double miss() const;
};

struct BenchMachine {
  std::string backend, name, library, precision;
  std::int64_t units = 0;  ///< threads, or multiprocessors
  std::int64_t cache_bytes = 0;
  std::vector<std::string> notes;
};

/// Bytes per second (read plus written) at a footprint.
struct BenchBandwidth {
  std::int64_t footprint_bytes = 0;
  double bytes_per_s = 0;
};

struct BenchCeilings {
  double flops_per_s = 0;
  std::vector<BenchBandwidth> bandwidth;
};

struct BenchResult {
  BenchMachine machine;
  BenchCeilings ceilings;
  std::vector<BenchModel> models;
  std::vector<BenchRatio> ratios;  ///< of every model but the first
  bool converged = false;
  double clock_change = 0;  ///< of the fixed work of the clock probe, end over start, less 1
  std::vector<std::string> warnings;
};

/// Times one layer of each model, forward and backward, interleaved in one process with layers of
/// other shapes that the prediction is fitted to.
///
/// Throws InputError for a model whose layers differ or have no gated routed experts, or that does
/// not fit the machine, and Unavailable where the backend is missing.
BenchResult run_bench(const std::vector<Model>& models, const BenchOptions& options);

}  // namespace smelt
