#include "bench/calibration.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace smelt {

namespace {

/// Products behave alike by where their rows come from: one set of experts, the router's narrow
/// output, or a projection.
int product_class(OperatorKind kind) {
  if (is_expert_product(kind)) return static_cast<int>(OperatorKind::kGateUp);
  if (kind == OperatorKind::kRouter) return static_cast<int>(kind);
  return static_cast<int>(OperatorKind::kQkvProjection);
}

double touched_weights(const GroupedProduct& product) {
  const auto touched = std::count_if(product.rows.begin(), product.rows.end(),
                                     [](std::int64_t rows) { return rows > 0; });
  return static_cast<double>(touched * product.inner * product.columns);
}

double moved_activations(const GroupedProduct& product) {
  const std::int64_t rows =
      std::accumulate(product.rows.begin(), product.rows.end(), std::int64_t{0});
  return static_cast<double>(rows * (product.inner + product.columns));
}

std::int64_t round_to(double value, std::int64_t step) {
  return std::max<std::int64_t>(1, std::llround(value / static_cast<double>(step))) * step;
}

}  // namespace

std::vector<double> nonnegative_least_squares(const std::vector<std::vector<double>>& rows,
                                              const std::vector<double>& target) {
  const auto unknowns = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), unknowns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    matrix.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(rows[i].data(), unknowns);
  }
  const Eigen::Map<const Eigen::VectorXd> wanted(target.data(),
                                                 static_cast<Eigen::Index>(target.size()));
  Eigen::VectorXd scale = matrix.cwiseAbs().colwise().maxCoeff().transpose();
  scale = (scale.array() > 0).select(scale, 1.0);
  const Eigen::MatrixXd scaled = matrix * scale.cwiseInverse().asDiagonal();
  Eigen::VectorXd best = Eigen::VectorXd::Zero(unknowns);
  double least = wanted.squaredNorm();
  for (unsigned set = 1; set < (1U << unknowns); ++set) {
    std::vector<Eigen::Index> active;
    for (Eigen::Index j = 0; j < unknowns; ++j) {
      if ((set >> j & 1U) != 0) active.push_back(j);
    }
    const Eigen::MatrixXd part = scaled(Eigen::all, active);
    const Eigen::VectorXd solution = part.colPivHouseholderQr().solve(wanted);
    const double error = (part * solution - wanted).squaredNorm();
    if (solution.minCoeff() < 0 || error >= least) continue;
    least = error;
    best.setZero();
    best(active) = solution;
  }
  best = best.cwiseQuotient(scale);
  return {best.data(), best.data() + unknowns};
}

Calibration::Key Calibration::key_of(const Operator& op) {
  return {op.product ? product_class(op.kind) : static_cast<int>(op.kind), op.pass};
}

Calibration::Terms Calibration::terms_of(const LayerShape& shape, const Operator& op) {
  const double flops = op.flops.to_double();
  if (op.product) {
    return {1, flops, touched_weights(*op.product), moved_activations(*op.product)};
  }
  if (op.kind == OperatorKind::kAttentionCore) {
    return {1, flops, flops / static_cast<double>(shape.head_dim), 0};
  }
  return {1, op.bytes.to_double(), 0, 0};
}

Calibration::Calibration(const std::vector<Observation>& observations) {
  std::map<Key, std::vector<std::vector<double>>> rows;
  for (const Observation& seen : observations) {
    const Terms terms = terms_of(seen.shape, seen.op);
    std::vector<double> row;
    for (const double term : terms) row.push_back(term / seen.seconds);
    rows[key_of(seen.op)].push_back(std::move(row));
  }
  for (const auto& [key, list] : rows) {
    const std::vector<double> costs =
        nonnegative_least_squares(list, std::vector<double>(list.size(), 1.0));
    std::copy(costs.begin(), costs.end(), costs_[key].begin());
  }
}

double Calibration::seconds(const LayerShape& shape, const Operator& op) const {
  const auto found = costs_.find(key_of(op));
  assert(found != costs_.end());
  const Terms terms = terms_of(shape, op);
  return std::inner_product(terms.begin(), terms.end(), found->second.begin(), 0.0);
}

std::vector<LayerShape> calibration_shapes(const LayerShape& shape) {
  struct Factors {
    double tokens, hidden, width, heads, experts;
  };
  std::vector<LayerShape> shapes;
  for (const Factors& f :
       {Factors{0.8, 1.2, 0.75, 0.75, 1.0}, Factors{1.2, 0.8, 1.25, 1.25, 0.75}}) {
    LayerShape other = shape;
    other.tokens = round_to(f.tokens * static_cast<double>(shape.tokens), 8);
    other.document = std::min(shape.document, other.tokens);
    other.hidden_size = round_to(f.hidden * static_cast<double>(shape.hidden_size), 16);
    other.expert_width = round_to(f.width * static_cast<double>(shape.expert_width), 16);
    const std::int64_t sharing = shape.num_heads / shape.num_key_value_heads;
    other.num_key_value_heads =
        round_to(f.heads * static_cast<double>(shape.num_key_value_heads), 1);
    other.num_heads = other.num_key_value_heads * sharing;
    other.num_experts =
        std::max(shape.top_k, round_to(f.experts * static_cast<double>(shape.num_experts), 1));
    shapes.push_back(other);
  }
  return shapes;
}

}  // namespace smelt
