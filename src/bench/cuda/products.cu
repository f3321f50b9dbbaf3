#include "bench/cuda/products.cuh"

namespace smelt::cuda {

namespace {

/// cuBLAS is column-major: a row-major product is its transpose with the operands exchanged, and a
/// stored row-major matrix is already the transpose of itself.
cublasOperation_t operation(const Matrix& matrix) {
  return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

constexpr float kOne = 1.0f;
constexpr float kZero = 0.0f;

}  // namespace

Blas::Blas(const Stream& stream) {
  SMELT_CUDA_CHECK(cublasCreate(&handle_));
  SMELT_CUDA_CHECK(cublasSetStream(handle_, stream.get()));
  SMELT_CUDA_CHECK(cublasSetWorkspace(handle_, workspace_.data(), workspace_.bytes()));
  // By default partial sums of a product may be added in the type of its result.
  SMELT_CUDA_CHECK(cublasSetMathMode(
      handle_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                         CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
}

Blas::~Blas() { cublasDestroy(handle_); }

void Blas::multiply(const RowProduct& p, cudaDataType_t type, cudaDataType_t result) {
  SMELT_CUDA_CHECK(cublasGemmEx(
      handle_, operation(p.b), operation(p.a), static_cast<int>(p.n), static_cast<int>(p.m),
      static_cast<int>(p.k), &kOne, p.b.data, type, static_cast<int>(p.b.leading), p.a.data, type,
      static_cast<int>(p.a.leading), &kZero, p.c, result, static_cast<int>(p.leading_c),
      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void Blas::multiply_strided(const RowProduct& p, std::int64_t stride_a, std::int64_t stride_b,
                            std::int64_t stride_c, std::int64_t count, cudaDataType_t type) {
  SMELT_CUDA_CHECK(cublasGemmStridedBatchedEx(
      handle_, operation(p.b), operation(p.a), static_cast<int>(p.n), static_cast<int>(p.m),
      static_cast<int>(p.k), &kOne, p.b.data, type, static_cast<int>(p.b.leading), stride_b,
      p.a.data, type, static_cast<int>(p.a.leading), stride_a, &kZero, p.c, type,
      static_cast<int>(p.leading_c), stride_c, static_cast<int>(count), CUBLAS_COMPUTE_32F,
      CUBLAS_GEMM_DEFAULT));
}

Blas::Group Blas::make_group(const std::vector<RowProduct>& products) {
  Group group;
  std::vector<void*> a, b, c;
  for (const RowProduct& p : products) {
    if (p.m == 0 || p.k == 0) continue;
    group.operation_a.push_back(operation(p.b));
    group.operation_b.push_back(operation(p.a));
    group.m.push_back(static_cast<int>(p.n));
    group.n.push_back(static_cast<int>(p.m));
    group.k.push_back(static_cast<int>(p.k));
    group.leading_a.push_back(static_cast<int>(p.b.leading));
    group.leading_b.push_back(static_cast<int>(p.a.leading));
    group.leading_c.push_back(static_cast<int>(p.leading_c));
    group.sizes.push_back(1);
    a.push_back(const_cast<void*>(p.b.data));
    b.push_back(const_cast<void*>(p.a.data));
    c.push_back(p.c);
  }
  group.alpha.assign(a.size(), kOne);
  group.beta.assign(a.size(), kZero);
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  group.pointers = DeviceArray<void*>(a.size());
  copy_to_device(group.pointers, a.data());
  return group;
}

void Blas::multiply_grouped(const Group& g, cudaDataType_t type) {
  const std::size_t count = g.sizes.size();
  if (count == 0) return;
  void* const* pointers = g.pointers.data();
  SMELT_CUDA_CHECK(cublasGemmGroupedBatchedEx(
      handle_, g.operation_a.data(), g.operation_b.data(), g.m.data(), g.n.data(), g.k.data(),
      g.alpha.data(), pointers, type, g.leading_a.data(), pointers + count, type,
      g.leading_b.data(), g.beta.data(), pointers + 2 * count, type, g.leading_c.data(),
      static_cast<int>(count), g.sizes.data(), CUBLAS_COMPUTE_32F));
}

}  // namespace smelt::cuda
