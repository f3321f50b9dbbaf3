#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace smelt::cuda {

/// Blocks of the persistent grid that a multiprocessor holds at a time.
inline constexpr int kBlocksOfMultiprocessor = 2;

/// The products of all experts in one launch of a persistent grid that reads the counts on the
/// device: nothing about the routing passes through the host. Operands as in GroupedProduct; a row
/// of 16 bytes is the unit of access, so `inner` and `columns` are multiples of 8.
template <typename T>
struct GroupedOperands {
  const T* a = nullptr;  ///< activations or their gradients, permuted rows
  const T* b = nullptr;  ///< weights of all experts, or gradients of permuted rows
  T* c = nullptr;
  const std::int32_t* expert_rows = nullptr;
  const std::int32_t* first_rows = nullptr;
  std::int64_t experts = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  int blocks = 0;  ///< of the persistent grid
  cudaStream_t stream = nullptr;
};

/// C rows = A rows (x inner) B (inner x columns)
template <typename T>
void grouped_forward(const GroupedOperands<T>& operands);
/// C rows (x inner) = A rows (x columns) B^T
template <typename T>
void grouped_backward_input(const GroupedOperands<T>& operands);
/// C (inner x columns) = A^T B over the rows of each expert; 0 for one without rows.
template <typename T>
void grouped_backward_weight(const GroupedOperands<T>& operands);

}  // namespace smelt::cuda
