#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bench/cpu/gemm.hpp"
#include "bench/cpu/kernels.hpp"
#include "bench/cpu/team.hpp"
#include "bench/layer_run.hpp"

namespace smelt {

/// A layer in fp32 on the threads of a team. Experts are the unit of work: no product is split
/// inside, except where there are fewer products than threads.
class CpuLayer : public LayerRun {
 public:
  /// `team` outlives the layer.
  CpuLayer(const LayerShape& shape, GemmLibrary library, Team& team);

  void write(Tensor tensor, const std::vector<float>& values) override;
  std::vector<float> read(Tensor tensor) override;
  std::vector<std::int32_t> chosen_experts() override { return chosen_; }
  void force_routing(const std::vector<std::int32_t>& experts) override { forced_ = experts; }
  void poison() override;
  void run() override;
  std::vector<double> time_steps(CacheState state) override;

 private:
  float* data(Tensor tensor) { return tensors_[static_cast<std::size_t>(tensor)].data(); }
  [[nodiscard]] RowOrder order() const { return {slot_row_.data(), row_slot_.data()}; }

  void run_step(const Step& step);
  void run_product(const Step& step);
  void run_attention(Pass pass);
  void run_rows(const Step& step, RowRange range);
  void sort_rows();
  void flush_caches();

  LayerShape shape_;
  GemmLibrary library_;
  Team& team_;
  std::vector<std::vector<float>> tensors_;
  std::vector<std::int32_t> chosen_;
  std::vector<std::int32_t> forced_;
  std::vector<std::int32_t> expert_rows_;
  std::vector<std::int32_t> first_rows_;
  std::vector<std::int32_t> slot_row_;
  std::vector<std::int32_t> row_slot_;
  std::vector<std::vector<float>> scratch_;  ///< of each thread
  std::vector<float> flush_;
};

}  // namespace smelt
