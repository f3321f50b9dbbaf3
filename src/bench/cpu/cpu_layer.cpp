#include "bench/cpu/cpu_layer.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>

#include "bench/cpu/cpu_machine.hpp"
#include "smelt/tiles.hpp"

namespace smelt {

namespace {

constexpr std::int64_t kFewestRowsOfTask = 16;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Part `index` of `count` rows cut into `parts`.
RowRange part_of(std::int64_t count, std::int64_t parts, std::int64_t index) {
  return {count * index / parts, count * (index + 1) / parts};
}

}  // namespace

CpuLayer::CpuLayer(const LayerShape& shape, GemmLibrary library, Team& team)
    : shape_(shape), library_(library), team_(team) {
  for (int i = 0; i < kNumTensors; ++i) {
    tensors_.emplace_back(static_cast<std::size_t>(tensor_size(shape, static_cast<Tensor>(i))));
  }
  chosen_.resize(static_cast<std::size_t>(shape.slots()));
  slot_row_ = row_slot_ = chosen_;
  expert_rows_.resize(static_cast<std::size_t>(shape.num_experts));
  first_rows_ = expert_rows_;
  scratch_.assign(static_cast<std::size_t>(team.size()),
                  std::vector<float>(static_cast<std::size_t>(attention_scratch(shape))));
}

void CpuLayer::write(Tensor tensor, const std::vector<float>& values) {
  assert(values.size() == tensors_[static_cast<std::size_t>(tensor)].size());
  std::copy(values.begin(), values.end(), data(tensor));
}

std::vector<float> CpuLayer::read(Tensor tensor) {
  return tensors_[static_cast<std::size_t>(tensor)];
}

void CpuLayer::poison() {
  for (std::size_t i = kNumInputTensors; i < tensors_.size(); ++i) {
    std::fill(tensors_[i].begin(), tensors_[i].end(), std::numeric_limits<float>::quiet_NaN());
  }
}

void CpuLayer::run() {
  for (const Step& step : layer_steps()) run_step(step);
}

std::vector<double> CpuLayer::time_steps(CacheState state) {
  std::vector<double> seconds;
  for (const Step& step : layer_steps()) {
    if (state == CacheState::kCold) flush_caches();
    if (state == CacheState::kHot) run_step(step);
    const double start = now();
    run_step(step);
    seconds.push_back(now() - start);
  }
  return seconds;
}

void CpuLayer::flush_caches() {
  flush_.resize(static_cast<std::size_t>(2 * last_level_cache_bytes()) / sizeof(float));
  for (float& value : flush_) value += 1;
}

void CpuLayer::run_step(const Step& step) {
  if (is_product(step.kind)) return run_product(step);
  if (step.kind == OperatorKind::kAttentionCore) return run_attention(step.pass);
  const bool by_slot = step.kind == OperatorKind::kActivation ||
                       (step.kind == OperatorKind::kPermute && step.pass == Pass::kForward);
  if (step.kind == OperatorKind::kPermute && step.pass == Pass::kForward) sort_rows();
  const std::int64_t rows = by_slot ? shape_.slots() : shape_.tokens;
  // A few parts a thread, so that a disturbed one holds up little.
  const std::int64_t parts =
      std::min(std::int64_t{4} * team_.size(), ceil_ratio(rows, kFewestRowsOfTask));
  team_.run(static_cast<std::size_t>(parts), [&](std::size_t index, int) {
    run_rows(step, part_of(rows, parts, static_cast<std::int64_t>(index)));
  });
}

void CpuLayer::sort_rows() {
  const std::vector<std::int32_t>& experts = forced_.empty() ? chosen_ : forced_;
  sort_slots(shape_, experts.data(), expert_rows_.data(), first_rows_.data(), slot_row_.data(),
             row_slot_.data());
}

void CpuLayer::run_product(const Step& step) {
  const ProductTensors tensors = product_tensors(step.kind);
  const ProductWidths w = product_widths(shape_, step.kind);
  const bool grouped = is_expert_product(step.kind);
  const std::int64_t groups = grouped ? shape_.num_experts : 1;
  const std::int64_t parts = ceil_ratio(team_.size(), groups);
  team_.run(static_cast<std::size_t>(groups * parts), [&](std::size_t index, int) {
    const std::size_t group = index / static_cast<std::size_t>(parts);
    const auto part = static_cast<std::int64_t>(index) % parts;
    const std::int64_t rows = grouped ? expert_rows_[group] : shape_.tokens;
    const std::int64_t first = grouped ? first_rows_[group] : 0;
    const std::int64_t weight = static_cast<std::int64_t>(group) * w.inner * w.columns;
    if (step.pass == Pass::kBackwardWeight) {
      // dW (inner x columns) = X^T dY, cut along the rows of dW.
      const RowRange inner = part_of(w.inner, parts, part);
      run_gemm(library_,
               {Layout::kTransposed, Layout::kPlain, inner.end - inner.begin, w.columns, rows,
                data(tensors.input) + first * w.inner + inner.begin, w.inner,
                data(tensors.output_gradient) + first * w.columns, w.columns,
                data(tensors.weight_gradient) + weight + inner.begin * w.columns, w.columns});
      return;
    }
    const RowRange range = part_of(rows, parts, part);
    const std::int64_t begin = first + range.begin;
    if (step.pass == Pass::kForward) {  // Y = X W
      run_gemm(library_,
               {Layout::kPlain, Layout::kPlain, range.end - range.begin, w.columns, w.inner,
                data(tensors.input) + begin * w.inner, w.inner, data(tensors.weight) + weight,
                w.columns, data(tensors.output) + begin * w.columns, w.columns});
    } else {  // dX = dY W^T
      run_gemm(library_, {Layout::kPlain, Layout::kTransposed, range.end - range.begin, w.inner,
                          w.columns, data(tensors.output_gradient) + begin * w.columns, w.columns,
                          data(tensors.weight) + weight, w.columns,
                          data(tensors.input_gradient) + begin * w.inner, w.inner});
    }
  });
}

void CpuLayer::run_attention(Pass pass) {
  const std::int64_t heads = pass == Pass::kForward ? shape_.num_heads : shape_.num_key_value_heads;
  const std::int64_t tasks = num_documents(shape_) * heads;
  team_.run(static_cast<std::size_t>(tasks), [&](std::size_t index, int thread) {
    const std::int64_t document = static_cast<std::int64_t>(index) / heads;
    const std::int64_t head = static_cast<std::int64_t>(index) % heads;
    float* scratch = scratch_[static_cast<std::size_t>(thread)].data();
    if (pass == Pass::kForward) {
      attention_forward(shape_, library_, document, head, data(Tensor::kQkv), data(Tensor::kCore),
                        scratch);
    } else {
      attention_backward(shape_, library_, document, head, data(Tensor::kQkv), data(Tensor::kCore),
                         data(Tensor::kCoreGradient), data(Tensor::kQkvGradient), scratch);
    }
  });
}

void CpuLayer::run_rows(const Step& step, RowRange range) {
  const bool forward = step.pass == Pass::kForward;
  switch (step.kind) {
    case OperatorKind::kTopK:
      return forward
                 ? top_k_forward(shape_, range, data(Tensor::kLogits), chosen_.data(),
                                 data(Tensor::kRouting))
                 : top_k_backward(shape_, range, chosen_.data(), data(Tensor::kRouting),
                                  data(Tensor::kRoutingGradient), data(Tensor::kLogitsGradient));
    case OperatorKind::kPermute:
      return forward ? permute_forward(shape_, range, order(), data(Tensor::kMoeInput),
                                       data(Tensor::kPermuted))
                     : permute_backward(shape_, range, order(), data(Tensor::kPermutedGradient),
                                        data(Tensor::kRouterInputGradient),
                                        data(Tensor::kMoeInputGradient));
    case OperatorKind::kActivation:
      return forward
                 ? swiglu_forward(shape_, range, data(Tensor::kGateUp), data(Tensor::kActivated))
                 : swiglu_backward(shape_, range, data(Tensor::kGateUp),
                                   data(Tensor::kActivatedGradient), data(Tensor::kGateUpGradient));
    default:
      assert(step.kind == OperatorKind::kCombine);
      return forward ? combine_forward(shape_, range, order(), data(Tensor::kRouting),
                                       data(Tensor::kExpertOutput), data(Tensor::kMoeOutput))
                     : combine_backward(shape_, range, order(), data(Tensor::kRouting),
                                        data(Tensor::kExpertOutput), data(Tensor::kMoeGradient),
                                        data(Tensor::kExpertOutputGradient),
                                        data(Tensor::kRoutingGradient));
  }
}

}  // namespace smelt
