#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/cuda/cuda_module.hpp"
#include "bench/cuda/grouped_kernel.cuh"
#include "bench/cuda/memory.cuh"
#include "bench/cuda/products.cuh"
#include "bench/cuda/row_kernels.cuh"
#include "bench/layer_run.hpp"

namespace smelt::cuda {

/// A layer on the GPU in elements of type T: float or __nv_bfloat16. Logits, routing weights and
/// the weights' gradients stay in fp32. Steps are timed with the routing of the last
/// `force_routing` or `run`, one of which comes first.
template <typename T>
class CudaLayer : public LayerRun {
 public:
  CudaLayer(const LayerShape& shape, ExpertProducts products, const cudaDeviceProp& device);
  ~CudaLayer() override;

  void write(Tensor tensor, const std::vector<float>& values) override;
  std::vector<float> read(Tensor tensor) override;
  std::vector<std::int32_t> chosen_experts() override;
  void force_routing(const std::vector<std::int32_t>& experts) override;
  void poison() override;
  void run() override;
  std::vector<double> time_steps(CacheState state) override;
  double time_graph() override;
  std::vector<HostCost> host_costs() override;

 private:
  struct Buffer {
    DeviceArray<T> narrow;    ///< of most tensors
    DeviceArray<float> wide;  ///< of those that stay in fp32
  };

  T* data(Tensor tensor) const { return buffers_[static_cast<std::size_t>(tensor)].narrow.data(); }
  float* wide(Tensor tensor) const {
    return buffers_[static_cast<std::size_t>(tensor)].wide.data();
  }
  Launch launch() const { return {shape_, rows_, stream_.get()}; }
  DeviceOrder order() const { return {slot_row_.data(), row_slot_.data()}; }
  std::int64_t elements(Tensor tensor) const;

  void allocate(std::int64_t row_stride);
  void run_step(const Step& step);
  void run_plain(const Step& step);
  void run_dense(const Step& step);
  void run_experts(const Step& step);
  void run_native(const Step& step);
  RowProduct dense_product(const Step& step) const;
  RowProduct expert_product(const Step& step, std::size_t expert, std::int64_t rows) const;
  std::vector<RowProduct> expert_products(const Step& step) const;
  void sort_rows();
  void read_counts();
  void make_groups();
  void clear_idle_gradients(const Step& step);
  bool capture();
  void drop_graph();
  void flush_cache();
  static std::size_t group_index(const Step& step);

  LayerShape shape_;
  ExpertProducts products_;
  int blocks_;  ///< of the persistent kernel
  Stream stream_;
  Blas blas_;
  std::int64_t row_stride_ = 0;  ///< rows that every expert owns; 0: as many as it uses
  std::int64_t rows_ = 0;        ///< of permuted tensors
  std::vector<Buffer> buffers_;
  DeviceArray<std::int32_t> chosen_, forced_, expert_rows_, first_rows_, cursor_, slot_row_,
      row_slot_;
  DeviceArray<float> log_sums_, means_;
  DeviceArray<char> flush_;
  std::vector<std::int32_t> host_rows_, host_first_;
  std::array<Blas::Group, 6> groups_;  ///< of two products in three passes
  std::vector<Event> events_;
  cudaGraphExec_t graph_ = nullptr;
  bool graph_tried_ = false;
};

}  // namespace smelt::cuda
