#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "bench/cpu/kernels.hpp"
#include "smelt/tiles.hpp"

namespace smelt {

namespace {

constexpr std::int64_t kBlock = 64;  // queries that share one set of products

using Values = Eigen::Map<const Eigen::ArrayXf>;
using Target = Eigen::Map<Eigen::ArrayXf>;

/// The tokens of one document.
RowRange document_tokens(const LayerShape& shape, std::int64_t document) {
  const std::int64_t begin = document * shape.document;
  return {begin, std::min(begin + shape.document, shape.tokens)};
}

/// A block of queries of one head and the keys that any of them sees.
struct Block {
  std::int64_t first = 0;  ///< query, within the document
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

template <typename Body>
void for_each_block(std::int64_t length, const Body& body) {
  for (std::int64_t first = 0; first < length; first += kBlock) {
    const std::int64_t queries = std::min(kBlock, length - first);
    body(Block{first, queries, first + queries});
  }
}

/// One head's view of a document's rows in qkv or its gradient.
template <typename Pointer>
struct HeadRows {
  Pointer q, k, v;
};

template <typename Pointer>
HeadRows<Pointer> head_rows(const LayerShape& shape, std::int64_t first_token, std::int64_t head,
                            Pointer qkv) {
  const std::int64_t kv_head = head * shape.num_key_value_heads / shape.num_heads;
  Pointer row = qkv + first_token * shape.qkv_width();
  Pointer keys = row + shape.query_width() + kv_head * shape.head_dim;
  return {row + head * shape.head_dim, keys, keys + shape.kv_width()};
}

/// Row i of `scores` becomes softmax over the keys up to query first + i, and 0 beyond.
void causal_softmax(const Block& block, float scale, float* scores) {
  for (std::int64_t i = 0; i < block.queries; ++i) {
    const std::int64_t visible = block.first + i + 1;
    Target row(scores + i * block.keys, visible);
    row = (scale * (row - row.maxCoeff())).exp();
    row /= row.sum();
    std::fill_n(scores + i * block.keys + visible, block.keys - visible, 0.0f);
  }
}

class Head {
 public:
  Head(const LayerShape& shape, GemmLibrary library, std::int64_t document, std::int64_t head,
       const float* qkv)
      : shape_(shape),
        library_(library),
        tokens_(document_tokens(shape, document)),
        rows_(head_rows(shape, tokens_.begin, head, qkv)),
        head_(head) {}

  [[nodiscard]] std::int64_t length() const { return tokens_.end - tokens_.begin; }
  [[nodiscard]] const HeadRows<const float*>& rows() const { return rows_; }

  /// P (queries x keys) of a block.
  void probabilities(const Block& block, float* scores) const {
    const std::int64_t stride = shape_.qkv_width();
    run_gemm(library_,
             {Layout::kPlain, Layout::kTransposed, block.queries, block.keys, shape_.head_dim,
              rows_.q + block.first * stride, stride, rows_.k, stride, scores, block.keys});
    causal_softmax(block, scale(), scores);
  }

  /// This head's columns of a T x Q tensor, from a query of the document on.
  template <typename Pointer>
  [[nodiscard]] Pointer core_rows(Pointer core, std::int64_t query) const {
    return core + (tokens_.begin + query) * shape_.query_width() + head_ * shape_.head_dim;
  }

  [[nodiscard]] float scale() const {
    return 1.0f / std::sqrt(static_cast<float>(shape_.head_dim));
  }

  /// dS = P (dP - sum(dO O)) scale, in place of dP.
  void score_gradient(const Block& block, const float* core, const float* core_gradient,
                      const float* scores, float* gradient) const {
    for (std::int64_t i = 0; i < block.queries; ++i) {
      const Values out(core_rows(core, block.first + i), shape_.head_dim);
      const Values out_gradient(core_rows(core_gradient, block.first + i), shape_.head_dim);
      const float mean = (out * out_gradient).sum();
      Target row(gradient + i * block.keys, block.keys);
      row = Values(scores + i * block.keys, block.keys) * (row - mean) * scale();
    }
  }

 private:
  const LayerShape& shape_;
  GemmLibrary library_;
  RowRange tokens_;
  HeadRows<const float*> rows_;
  std::int64_t head_;
};

}  // namespace

std::int64_t num_documents(const LayerShape& shape) {
  return ceil_ratio(shape.tokens, shape.document);
}

std::int64_t attention_scratch(const LayerShape& shape) {
  return 2 * kBlock * std::min(shape.document, shape.tokens);
}

void attention_forward(const LayerShape& shape, GemmLibrary library, std::int64_t document,
                       std::int64_t head, const float* qkv, float* core, float* scratch) {
  const Head one(shape, library, document, head, qkv);
  for_each_block(one.length(), [&](const Block& block) {
    one.probabilities(block, scratch);
    run_gemm(library, {Layout::kPlain, Layout::kPlain, block.queries, shape.head_dim, block.keys,
                       scratch, block.keys, one.rows().v, shape.qkv_width(),
                       one.core_rows(core, block.first), shape.query_width()});
  });
}

void attention_backward(const LayerShape& shape, GemmLibrary library, std::int64_t document,
                        std::int64_t kv_head, const float* qkv, const float* core,
                        const float* core_gradient, float* qkv_gradient, float* scratch) {
  const RowRange tokens = document_tokens(shape, document);
  const std::int64_t stride = shape.qkv_width();
  const std::int64_t sharing = shape.num_heads / shape.num_key_value_heads;
  const std::int64_t d = shape.head_dim;
  for (std::int64_t head = kv_head * sharing; head < (kv_head + 1) * sharing; ++head) {
    const Head one(shape, library, document, head, qkv);
    const HeadRows<float*> gradient = head_rows(shape, tokens.begin, head, qkv_gradient);
    if (head == kv_head * sharing) {
      for (std::int64_t t = 0; t < one.length(); ++t) {
        std::fill_n(gradient.k + t * stride, d, 0.0f);
        std::fill_n(gradient.v + t * stride, d, 0.0f);
      }
    }
    for_each_block(one.length(), [&](const Block& block) {
      float* scores = scratch;
      float* scores_gradient = scratch + kBlock * block.keys;
      const float* out_gradient = one.core_rows(core_gradient, block.first);
      one.probabilities(block, scores);
      // dV += P^T dO
      run_gemm(library, {Layout::kTransposed, Layout::kPlain, block.keys, d, block.queries, scores,
                         block.keys, out_gradient, shape.query_width(), gradient.v, stride, true});
      // dP = dO V^T
      run_gemm(library,
               {Layout::kPlain, Layout::kTransposed, block.queries, block.keys, d, out_gradient,
                shape.query_width(), one.rows().v, stride, scores_gradient, block.keys});
      one.score_gradient(block, core, core_gradient, scores, scores_gradient);
      // dQ = dS K
      run_gemm(library,
               {Layout::kPlain, Layout::kPlain, block.queries, d, block.keys, scores_gradient,
                block.keys, one.rows().k, stride, gradient.q + block.first * stride, stride});
      // dK += dS^T Q
      run_gemm(library,
               {Layout::kTransposed, Layout::kPlain, block.keys, d, block.queries, scores_gradient,
                block.keys, one.rows().q + block.first * stride, stride, gradient.k, stride, true});
    });
  }
}

}  // namespace smelt
