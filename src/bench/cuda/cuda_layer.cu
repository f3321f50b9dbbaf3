#include <algorithm>
#include <cassert>
#include <chrono>
#include <type_traits>

#include "bench/cuda/cuda_layer.cuh"
#include "bench/cuda/device_math.cuh"
#include "smelt/tiles.hpp"

namespace smelt::cuda {

namespace {

template <typename T>
constexpr cudaDataType_t kType = std::is_same<T, float>::value ? CUDA_R_32F : CUDA_R_16BF;

double host_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool stays_wide(Tensor tensor) {
  return tensor == Tensor::kLogits || tensor == Tensor::kRouting ||
         tensor == Tensor::kRoutingGradient;
}

/// Elements of one permuted row; 0 for tensors in token order.
std::int64_t permuted_width(const LayerShape& s, Tensor tensor) {
  switch (tensor) {
    case Tensor::kPermuted:
    case Tensor::kPermutedGradient:
    case Tensor::kExpertOutput:
    case Tensor::kExpertOutputGradient:
      return s.hidden_size;
    case Tensor::kGateUp:
    case Tensor::kGateUpGradient:
      return 2 * s.expert_width;
    case Tensor::kActivated:
    case Tensor::kActivatedGradient:
      return s.expert_width;
    default:
      return 0;
  }
}

float host_float(float value) { return value; }
float host_float(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T>
std::vector<float> download(const DeviceArray<T>& array) {
  std::vector<T> raw(array.size());
  SMELT_CUDA_CHECK(cudaMemcpy(raw.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost));
  std::vector<float> values(raw.size());
  std::transform(raw.begin(), raw.end(), values.begin(), [](T v) { return host_float(v); });
  return values;
}

template <typename T>
void upload(const DeviceArray<T>& array, const std::vector<float>& values) {
  assert(values.size() == array.size());
  std::vector<T> raw(values.size());
  std::transform(values.begin(), values.end(), raw.begin(), [](float v) { return T(v); });
  copy_to_device(array, raw.data());
}

std::vector<std::int32_t> download_indices(const DeviceArray<std::int32_t>& array) {
  std::vector<std::int32_t> values(array.size());
  SMELT_CUDA_CHECK(cudaMemcpy(values.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace

template <typename T>
CudaLayer<T>::CudaLayer(const LayerShape& shape, ExpertProducts products,
                        const cudaDeviceProp& device)
    : shape_(shape),
      products_(products),
      blocks_(kBlocksOfMultiprocessor * device.multiProcessorCount),
      blas_(stream_),
      chosen_(static_cast<std::size_t>(shape.slots())),
      expert_rows_(static_cast<std::size_t>(shape.num_experts)),
      first_rows_(expert_rows_.size()),
      cursor_(expert_rows_.size()),
      slot_row_(chosen_.size()),
      log_sums_(static_cast<std::size_t>(shape.tokens * shape.num_heads)),
      means_(log_sums_.size()),
      flush_(2 * static_cast<std::size_t>(device.l2CacheSize)) {
  allocate(0);
  events_.resize(2 * layer_steps().size());
}

template <typename T>
CudaLayer<T>::~CudaLayer() {
  drop_graph();
}

template <typename T>
std::int64_t CudaLayer<T>::elements(Tensor tensor) const {
  const std::int64_t width = permuted_width(shape_, tensor);
  return width > 0 ? rows_ * width : tensor_size(shape_, tensor);
}

/// Tensors in token order keep what they hold.
template <typename T>
void CudaLayer<T>::allocate(std::int64_t row_stride) {
  row_stride_ = row_stride;
  rows_ = row_stride > 0 ? shape_.num_experts * row_stride : shape_.slots();
  row_slot_ = DeviceArray<std::int32_t>(static_cast<std::size_t>(rows_));
  buffers_.resize(kNumTensors);
  for (int i = 0; i < kNumTensors; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    Buffer& buffer = buffers_[static_cast<std::size_t>(i)];
    const auto size = static_cast<std::size_t>(elements(tensor));
    if (stays_wide(tensor)) {
      if (buffer.wide.size() != size) buffer.wide = DeviceArray<float>(size);
    } else if (buffer.narrow.size() != size) {
      buffer.narrow = DeviceArray<T>();
      buffer.narrow = DeviceArray<T>(size);
    }
  }
}

template <typename T>
void CudaLayer<T>::write(Tensor tensor, const std::vector<float>& values) {
  const Buffer& buffer = buffers_[static_cast<std::size_t>(tensor)];
  if (stays_wide(tensor)) {
    upload(buffer.wide, values);
  } else {
    upload(buffer.narrow, values);
  }
}

/// Rows of no slot are left out, so that a padded tensor reads like any other.
template <typename T>
std::vector<float> CudaLayer<T>::read(Tensor tensor) {
  stream_.wait();
  const Buffer& buffer = buffers_[static_cast<std::size_t>(tensor)];
  const std::vector<float> all =
      stays_wide(tensor) ? download(buffer.wide) : download(buffer.narrow);
  const std::int64_t width = permuted_width(shape_, tensor);
  if (width == 0 || row_stride_ == 0) return all;
  std::vector<float> used;
  const std::vector<std::int32_t> slots = download_indices(row_slot_);
  for (std::size_t row = 0; row < slots.size(); ++row) {
    if (slots[row] < 0) continue;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row) * width;
    used.insert(used.end(), begin, begin + width);
  }
  return used;
}

template <typename T>
std::vector<std::int32_t> CudaLayer<T>::chosen_experts() {
  stream_.wait();
  return download_indices(chosen_);
}

template <typename T>
void CudaLayer<T>::force_routing(const std::vector<std::int32_t>& experts) {
  stream_.wait();
  forced_ = DeviceArray<std::int32_t>(experts.size());
  drop_graph();
  if (experts.empty()) return;
  copy_to_device(forced_, experts.data());
  if (products_ == ExpertProducts::kStrided) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(shape_.num_experts));
    for (const std::int32_t expert : experts) ++rows[static_cast<std::size_t>(expert)];
    const std::int64_t most = *std::max_element(rows.begin(), rows.end());
    allocate(ceil_ratio(most, 8) * 8);
  }
  sort_rows();
  read_counts();
}

template <typename T>
void CudaLayer<T>::poison() {
  // All bytes 0xff are NaN in both types.
  const auto fill = [&](const auto& array) {
    if (array.size() == 0) return;
    SMELT_CUDA_CHECK(cudaMemsetAsync(array.data(), 0xff, array.bytes(), stream_.get()));
  };
  for (int i = kNumInputTensors; i < kNumTensors; ++i) {
    fill(buffers_[static_cast<std::size_t>(i)].narrow);
    fill(buffers_[static_cast<std::size_t>(i)].wide);
  }
}

template <typename T>
void CudaLayer<T>::run() {
  // Where the top-k chooses, any expert may get every token.
  const bool unknown = products_ == ExpertProducts::kStrided && forced_.size() == 0;
  if (unknown && row_stride_ != shape_.tokens) allocate(shape_.tokens);
  for (const Step& step : layer_steps()) {
    run_step(step);
    const bool sorted = step.kind == OperatorKind::kPermute && step.pass == Pass::kForward;
    // The routing may be new: what the host has to know of it is read again.
    if (sorted && products_ != ExpertProducts::kNative) read_counts();
  }
  stream_.wait();
}

template <typename T>
std::vector<double> CudaLayer<T>::time_steps(CacheState state) {
  const std::vector<Step>& steps = layer_steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (state == CacheState::kCold) flush_cache();
    if (state == CacheState::kHot) run_step(steps[i]);
    events_[2 * i].record(stream_);
    run_step(steps[i]);
    events_[2 * i + 1].record(stream_);
  }
  stream_.wait();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    seconds.push_back(events_[2 * i + 1].seconds_since(events_[2 * i]));
  }
  return seconds;
}

template <typename T>
double CudaLayer<T>::time_graph() {
  if (!graph_tried_) {
    graph_tried_ = true;
    if (!capture()) graph_ = nullptr;
  }
  if (graph_ == nullptr) return 0;
  events_[0].record(stream_);
  SMELT_CUDA_CHECK(cudaGraphLaunch(graph_, stream_.get()));
  events_[1].record(stream_);
  stream_.wait();
  return events_[1].seconds_since(events_[0]);
}

/// False where some library call cannot be captured; the stream is then as it was.
template <typename T>
bool CudaLayer<T>::capture() {
  cudaGraph_t graph = nullptr;
  SMELT_CUDA_CHECK(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
  bool captured = true;
  try {
    for (const Step& step : layer_steps()) run_step(step);
  } catch (const CudaError&) {
    captured = false;
  }
  captured = cudaStreamEndCapture(stream_.get(), &graph) == cudaSuccess && captured;
  captured = captured && cudaGraphInstantiate(&graph_, graph, 0) == cudaSuccess;
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();  // clears what a failed capture left
  return captured;
}

/// The graph holds counts and addresses that a new routing changes.
template <typename T>
void CudaLayer<T>::drop_graph() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  graph_ = nullptr;
  graph_tried_ = false;
}

/// The read-back of counts waits for the device; the pointers of grouped products are laid out and
/// sent anew.
template <typename T>
std::vector<HostCost> CudaLayer<T>::host_costs() {
  if (products_ == ExpertProducts::kNative) return {};
  constexpr int kRepetitions = 20;
  double read_s = 0;
  double upload_s = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    const double start = host_now();
    host_rows_ = download_indices(expert_rows_);
    const double counted = host_now();
    if (products_ == ExpertProducts::kGrouped) make_groups();
    read_s += counted - start;
    upload_s += host_now() - counted;
  }
  std::vector<HostCost> costs = {{"count read-back", read_s / kRepetitions}};
  if (products_ == ExpertProducts::kGrouped) {
    costs.push_back({"pointer upload", upload_s / kRepetitions});
  }
  return costs;
}

template <typename T>
void CudaLayer<T>::flush_cache() {
  SMELT_CUDA_CHECK(cudaMemsetAsync(flush_.data(), 0, flush_.bytes(), stream_.get()));
}

template <typename T>
void CudaLayer<T>::sort_rows() {
  const std::int32_t* experts = forced_.size() > 0 ? forced_.data() : chosen_.data();
  sort_slots(launch(), experts, row_stride_, expert_rows_.data(), first_rows_.data(),
             cursor_.data(), slot_row_.data(), row_slot_.data());
}

template <typename T>
void CudaLayer<T>::read_counts() {
  stream_.wait();
  drop_graph();
  host_rows_ = download_indices(expert_rows_);
  host_first_ = download_indices(first_rows_);
  if (products_ == ExpertProducts::kGrouped) make_groups();
}

template <typename T>
std::size_t CudaLayer<T>::group_index(const Step& step) {
  const std::size_t kind = step.kind == OperatorKind::kGateUp ? 0 : 3;
  return kind + (step.pass == Pass::kForward ? 0 : step.pass == Pass::kBackwardInput ? 1 : 2);
}

template <typename T>
void CudaLayer<T>::make_groups() {
  drop_graph();
  for (const Step& step : layer_steps()) {
    if (!is_expert_product(step.kind)) continue;
    groups_[group_index(step)] = Blas::make_group(expert_products(step));
  }
}

template <typename T>
void CudaLayer<T>::run_step(const Step& step) {
  if (is_expert_product(step.kind)) {
    run_experts(step);
  } else if (is_product(step.kind)) {
    run_dense(step);
  } else {
    run_plain(step);
  }
}

template <typename T>
void CudaLayer<T>::run_plain(const Step& step) {
  const bool forward = step.pass == Pass::kForward;
  switch (step.kind) {
    case OperatorKind::kTopK:
      if (forward) {
        return top_k_forward(launch(), wide(Tensor::kLogits), chosen_.data(),
                             wide(Tensor::kRouting));
      }
      return top_k_backward(launch(), chosen_.data(), wide(Tensor::kRouting),
                            wide(Tensor::kRoutingGradient), data(Tensor::kLogitsGradient));
    case OperatorKind::kPermute:
      if (forward) {
        sort_rows();
        return permute_forward(launch(), order(), data(Tensor::kMoeInput), data(Tensor::kPermuted));
      }
      return permute_backward(launch(), order(), data(Tensor::kPermutedGradient),
                              data(Tensor::kRouterInputGradient), data(Tensor::kMoeInputGradient));
    case OperatorKind::kActivation:
      if (forward) {
        return swiglu_forward(launch(), data(Tensor::kGateUp), data(Tensor::kActivated));
      }
      return swiglu_backward(launch(), data(Tensor::kGateUp), data(Tensor::kActivatedGradient),
                             data(Tensor::kGateUpGradient));
    case OperatorKind::kCombine:
      if (forward) {
        return combine_forward(launch(), order(), wide(Tensor::kRouting),
                               data(Tensor::kExpertOutput), data(Tensor::kMoeOutput));
      }
      return combine_backward(launch(), order(), wide(Tensor::kRouting),
                              data(Tensor::kExpertOutput), data(Tensor::kMoeGradient),
                              data(Tensor::kExpertOutputGradient), wide(Tensor::kRoutingGradient));
    default:
      if (forward) {
        return attention_forward(launch(), data(Tensor::kQkv), data(Tensor::kCore),
                                 log_sums_.data());
      }
      return attention_backward(launch(), data(Tensor::kQkv), data(Tensor::kCore),
                                data(Tensor::kCoreGradient), log_sums_.data(), means_.data(),
                                data(Tensor::kQkvGradient));
  }
}

/// Y = X W, dX = dY W^T or dW = X^T dY over all tokens.
template <typename T>
RowProduct CudaLayer<T>::dense_product(const Step& step) const {
  const ProductTensors t = product_tensors(step.kind);
  const ProductWidths w = product_widths(shape_, step.kind);
  void* output = stays_wide(t.output) ? static_cast<void*>(wide(t.output)) : data(t.output);
  switch (step.pass) {
    case Pass::kForward:
      return {{data(t.input), w.inner},
              {data(t.weight), w.columns},
              output,
              w.columns,
              shape_.tokens,
              w.columns,
              w.inner};
    case Pass::kBackwardInput:
      return {{data(t.output_gradient), w.columns},
              {data(t.weight), w.columns, true},
              data(t.input_gradient),
              w.inner,
              shape_.tokens,
              w.inner,
              w.columns};
    default:
      return {{data(t.input), w.inner, true},
              {data(t.output_gradient), w.columns},
              data(t.weight_gradient),
              w.columns,
              w.inner,
              w.columns,
              shape_.tokens};
  }
}

template <typename T>
void CudaLayer<T>::run_dense(const Step& step) {
  const bool wide_result =
      step.pass == Pass::kForward && stays_wide(product_tensors(step.kind).output);
  blas_.multiply(dense_product(step), kType<T>, wide_result ? CUDA_R_32F : kType<T>);
}

/// The same for the rows and weights of one expert.
template <typename T>
RowProduct CudaLayer<T>::expert_product(const Step& step, std::size_t expert,
                                        std::int64_t rows) const {
  const ProductWidths w = product_widths(shape_, step.kind);
  const std::int64_t first = host_first_[expert];
  const std::int64_t weights = static_cast<std::int64_t>(expert) * w.inner * w.columns;
  RowProduct product = dense_product(step);
  const auto shift = [](const void* pointer, std::int64_t count) {
    return static_cast<const T*>(pointer) + count;
  };
  const auto shift_result = [&](std::int64_t count) {
    product.c = static_cast<T*>(product.c) + count;
  };
  product.a.data = shift(product.a.data, first * product.a.leading);
  switch (step.pass) {
    case Pass::kBackwardWeight:
      product.b.data = shift(product.b.data, first * product.b.leading);
      shift_result(weights);
      product.k = rows;
      break;
    default:
      product.b.data = shift(product.b.data, weights);
      shift_result(first * product.leading_c);
      product.m = rows;
  }
  return product;
}

template <typename T>
std::vector<RowProduct> CudaLayer<T>::expert_products(const Step& step) const {
  std::vector<RowProduct> products;
  for (std::size_t expert = 0; expert < host_rows_.size(); ++expert) {
    products.push_back(expert_product(step, expert, host_rows_[expert]));
  }
  return products;
}

/// An expert without rows has no product, but its weights' gradient is 0 all the same.
template <typename T>
void CudaLayer<T>::clear_idle_gradients(const Step& step) {
  if (step.pass != Pass::kBackwardWeight) return;
  const ProductWidths w = product_widths(shape_, step.kind);
  T* gradient = data(product_tensors(step.kind).weight_gradient);
  const std::int64_t size = w.inner * w.columns;
  for (std::size_t expert = 0; expert < host_rows_.size(); ++expert) {
    if (host_rows_[expert] > 0) continue;
    SMELT_CUDA_CHECK(cudaMemsetAsync(gradient + static_cast<std::int64_t>(expert) * size, 0,
                                     static_cast<std::size_t>(size) * sizeof(T), stream_.get()));
  }
}

template <typename T>
void CudaLayer<T>::run_experts(const Step& step) {
  switch (products_) {
    case ExpertProducts::kNative:
      return run_native(step);
    case ExpertProducts::kGrouped:
      clear_idle_gradients(step);
      return blas_.multiply_grouped(groups_[group_index(step)], kType<T>);
    case ExpertProducts::kLoop:
      clear_idle_gradients(step);
      for (const RowProduct& product : expert_products(step)) {
        if (product.m > 0 && product.k > 0) blas_.multiply(product, kType<T>, kType<T>);
      }
      return;
    case ExpertProducts::kStrided: {
      // Padding rows hold zeros, so every expert runs over its whole capacity.
      const RowProduct first = expert_product(step, 0, row_stride_);
      const ProductWidths w = product_widths(shape_, step.kind);
      const std::int64_t weights = w.inner * w.columns;
      const bool weight_pass = step.pass == Pass::kBackwardWeight;
      return blas_.multiply_strided(first, row_stride_ * first.a.leading,
                                    weight_pass ? row_stride_ * first.b.leading : weights,
                                    weight_pass ? weights : row_stride_ * first.leading_c,
                                    shape_.num_experts, kType<T>);
    }
  }
}

template <typename T>
void CudaLayer<T>::run_native(const Step& step) {
  const ProductTensors t = product_tensors(step.kind);
  const ProductWidths w = product_widths(shape_, step.kind);
  GroupedOperands<T> o;
  o.expert_rows = expert_rows_.data();
  o.first_rows = first_rows_.data();
  o.experts = shape_.num_experts;
  o.inner = w.inner;
  o.columns = w.columns;
  o.blocks = blocks_;
  o.stream = stream_.get();
  switch (step.pass) {
    case Pass::kForward:
      o.a = data(t.input);
      o.b = data(t.weight);
      o.c = data(t.output);
      return grouped_forward(o);
    case Pass::kBackwardInput:
      o.a = data(t.output_gradient);
      o.b = data(t.weight);
      o.c = data(t.input_gradient);
      return grouped_backward_input(o);
    default:
      o.a = data(t.input);
      o.b = data(t.output_gradient);
      o.c = data(t.weight_gradient);
      return grouped_backward_weight(o);
  }
}

template class CudaLayer<float>;
template class CudaLayer<__nv_bfloat16>;

}  // namespace smelt::cuda
