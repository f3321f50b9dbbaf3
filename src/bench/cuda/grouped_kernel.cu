#include <mma.h>

#include "bench/cuda/check.cuh"
#include "bench/cuda/device_math.cuh"
#include "bench/cuda/grouped_kernel.cuh"
#include "smelt/tiles.hpp"

namespace smelt::cuda {

namespace {

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 32;
constexpr int kPad = 8;  // elements, to spread rows over the banks
constexpr int kThreads = 256;

/// A matrix seen through two strides, of which one is 1.
template <typename T>
struct View {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// One expert's product: (m x k) (k x n).
template <typename T>
struct Product {
  View<T> a, b;
  T* c;  ///< n columns a row
  std::int64_t m, n, k;
};

/// Copies a ROWS x COLUMNS piece at (row, column) of a `rows` x `columns` view into shared memory,
/// zeros outside. Packs run along the unit stride, whose extent is a multiple of a pack.
template <int ROWS, int COLUMNS, typename T>
__device__ void load_tile(const View<T>& view, std::int64_t row, std::int64_t column,
                          std::int64_t rows, std::int64_t columns, T (*tile)[COLUMNS + kPad]) {
  constexpr int kPack = Pack<T>::kSize;
  const bool by_row = view.column_stride == 1;
  const int packs = ROWS * COLUMNS / kPack;
  for (int i = threadIdx.x; i < packs; i += kThreads) {
    const int r = by_row ? i / (COLUMNS / kPack) : i % (ROWS / kPack) * kPack;
    const int c = by_row ? i % (COLUMNS / kPack) * kPack : i / (ROWS / kPack);
    Pack<T> pack = {};
    if (row + r < rows && column + c < columns) {
      pack = *reinterpret_cast<const Pack<T>*>(view.data + (row + r) * view.row_stride +
                                               (column + c) * view.column_stride);
    }
#pragma unroll
    for (int e = 0; e < kPack; ++e) {
      (by_row ? tile[r][c + e] : tile[r + e][c]) = pack.values[e];
    }
  }
}

template <typename T>
struct Tiles {
  T a[kTileM][kTileK + kPad];
  T b[kTileK][kTileN + kPad];
};

/// fp32: thread (x, y) of 16 x 16 owns rows y, y + 16, ... and columns x, x + 16, ...
class FloatAccumulator {
 public:
  __device__ void add(const Tiles<float>& tiles) {
    for (int k = 0; k < kTileK; ++k) {
      float a[kEach], b[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        a[i] = tiles.a[y() + i * kSide][k];
        b[i] = tiles.b[k][x() + i * kSide];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum_[i][j] += a[i] * b[j];
      }
    }
  }

  __device__ void store(const Product<float>& p, std::int64_t row, std::int64_t column,
                        Tiles<float>&) const {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const std::int64_t r = row + y() + i * kSide, c = column + x() + j * kSide;
        if (r < p.m && c < p.n) p.c[r * p.n + c] = sum_[i][j];
      }
    }
  }

 private:
  static constexpr int kSide = 16;
  static constexpr int kEach = kTileM / kSide;
  static_assert(kTileM == kTileN && kSide * kSide == kThreads);
  __device__ static int x() { return static_cast<int>(threadIdx.x) % kSide; }
  __device__ static int y() { return static_cast<int>(threadIdx.x) / kSide; }

  float sum_[kEach][kEach] = {};
};

/// bf16 on tensor cores, sums in fp32: warp w of 8 owns 64 rows (w / 4) and 32 columns (w % 4).
class TensorAccumulator {
 public:
  __device__ TensorAccumulator() {
    for (auto& row : sum_) {
      for (auto& fragment : row) nvcuda::wmma::fill_fragment(fragment, 0.0f);
    }
  }

  __device__ void add(const Tiles<__nv_bfloat16>& tiles) {
    using nvcuda::wmma::row_major;
#pragma unroll
    for (int k = 0; k < kTileK; k += kFragment) {
      nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __nv_bfloat16, row_major> b[kN];
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        nvcuda::wmma::load_matrix_sync(b[j], &tiles.b[k][first_column() + j * kFragment],
                                       kTileN + kPad);
      }
#pragma unroll
      for (int i = 0; i < kM; ++i) {
        nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __nv_bfloat16, row_major> a;
        nvcuda::wmma::load_matrix_sync(a, &tiles.a[first_row() + i * kFragment][k], kTileK + kPad);
#pragma unroll
        for (int j = 0; j < kN; ++j) nvcuda::wmma::mma_sync(sum_[i][j], a, b[j], sum_[i][j]);
      }
    }
  }

  /// Fragments go through shared memory, one 16 x 16 piece a warp, because their layout is opaque.
  __device__ void store(const Product<__nv_bfloat16>& p, std::int64_t row, std::int64_t column,
                        Tiles<__nv_bfloat16>& tiles) const {
    float* piece = reinterpret_cast<float*>(&tiles) + warp() * kFragment * kFragment;
#pragma unroll
    for (int i = 0; i < kM; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        nvcuda::wmma::store_matrix_sync(piece, sum_[i][j], kFragment, nvcuda::wmma::mem_row_major);
        __syncwarp();
        for (int e = static_cast<int>(threadIdx.x) % kWarp; e < kFragment * kFragment; e += kWarp) {
          const std::int64_t r = row + first_row() + i * kFragment + e / kFragment;
          const std::int64_t c = column + first_column() + j * kFragment + e % kFragment;
          if (r < p.m && c < p.n) p.c[r * p.n + c] = __float2bfloat16(piece[e]);
        }
        __syncwarp();
      }
    }
  }

 private:
  static constexpr int kFragment = 16;
  static constexpr int kM = 64 / kFragment;
  static constexpr int kN = 32 / kFragment;
  static_assert(kThreads / kWarp * kFragment * kFragment * sizeof(float) <=
                sizeof(Tiles<__nv_bfloat16>));
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / kWarp; }
  __device__ static int first_row() { return warp() / 4 * 64; }
  __device__ static int first_column() { return warp() % 4 * 32; }

  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum_[kM][kN];
};

template <typename T>
struct AccumulatorOf {
  using Type = FloatAccumulator;
};
template <>
struct AccumulatorOf<__nv_bfloat16> {
  using Type = TensorAccumulator;
};

template <typename T>
__device__ void compute_tile(const Product<T>& p, std::int64_t row, std::int64_t column,
                             Tiles<T>& tiles) {
  typename AccumulatorOf<T>::Type sum;
  for (std::int64_t k = 0; k < p.k; k += kTileK) {
    load_tile<kTileM, kTileK>(p.a, row, k, p.m, p.k, tiles.a);
    load_tile<kTileK, kTileN>(p.b, k, column, p.k, p.n, tiles.b);
    __syncthreads();
    sum.add(tiles);
    __syncthreads();
  }
  sum.store(p, row, column, tiles);
  __syncthreads();
}

enum class Direction { kForward, kBackwardInput, kBackwardWeight };

/// The product of one expert. Rows of the operands follow the expert's place in permuted order.
template <Direction D, typename T>
__device__ Product<T> product_of(const GroupedOperands<T>& o, std::int64_t expert) {
  const std::int64_t first = o.first_rows[expert], rows = o.expert_rows[expert];
  const std::int64_t weights = expert * o.inner * o.columns;
  if (D == Direction::kForward) {
    return {{o.a + first * o.inner, o.inner, 1},
            {o.b + weights, o.columns, 1},
            o.c + first * o.columns,
            rows,
            o.columns,
            o.inner};
  }
  if (D == Direction::kBackwardInput) {
    return {{o.a + first * o.columns, o.columns, 1},
            {o.b + weights, 1, o.columns},
            o.c + first * o.inner,
            rows,
            o.inner,
            o.columns};
  }
  return {{o.a + first * o.inner, 1, o.inner},
          {o.b + first * o.columns, o.columns, 1},
          o.c + weights,
          o.inner,
          o.columns,
          rows};
}

template <Direction D, typename T>
__global__ void __launch_bounds__(kThreads, kBlocksOfMultiprocessor)
    grouped_kernel(GroupedOperands<T> o) {
  __shared__ alignas(32) Tiles<T> tiles;
  const TileShape shape{kTileM, kTileN, kTileK};
  const std::int64_t width = D == Direction::kBackwardInput ? o.inner : o.columns;
  if (D == Direction::kBackwardWeight) {
    // Every expert has the same tiles, however many rows they sum over.
    const std::int64_t row_tiles = ceil_ratio(o.inner, kTileM);
    const std::int64_t each = row_tiles * ceil_ratio(o.columns, kTileN);
    for (std::int64_t index = blockIdx.x; index < each * o.experts; index += gridDim.x) {
      const std::int64_t within = index % each;
      compute_tile(product_of<D>(o, index / each), within % row_tiles * kTileM,
                   within / row_tiles * kTileN, tiles);
    }
    return;
  }
  TileCursor cursor(o.expert_rows, o.experts, width, shape);
  TilePlace place;
  for (std::int64_t index = blockIdx.x; cursor.seek(index, &place); index += gridDim.x) {
    compute_tile(product_of<D>(o, place.group), place.first_row, place.first_column, tiles);
  }
}

template <Direction D, typename T>
void launch(const GroupedOperands<T>& o) {
  grouped_kernel<D><<<static_cast<unsigned>(o.blocks), kThreads, 0, o.stream>>>(o);
  SMELT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

template <typename T>
void grouped_forward(const GroupedOperands<T>& operands) {
  launch<Direction::kForward>(operands);
}
template <typename T>
void grouped_backward_input(const GroupedOperands<T>& operands) {
  launch<Direction::kBackwardInput>(operands);
}
template <typename T>
void grouped_backward_weight(const GroupedOperands<T>& operands) {
  launch<Direction::kBackwardWeight>(operands);
}

#define SMELT_INSTANTIATE(T)                                       \
  template void grouped_forward(const GroupedOperands<T>&);        \
  template void grouped_backward_input(const GroupedOperands<T>&); \
  template void grouped_backward_weight(const GroupedOperands<T>&);
SMELT_INSTANTIATE(float)
SMELT_INSTANTIATE(__nv_bfloat16)
#undef SMELT_INSTANTIATE

}  // namespace smelt::cuda
