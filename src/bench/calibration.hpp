#pragma once

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "bench/layer_run.hpp"
#include "smelt/operators.hpp"

namespace smelt {

/// One step of one layer with what it has to do and the time it took.
struct Observation {
  LayerShape shape;
  Operator op;
  double seconds = 0;
};

/// Predicts the time of a step from those of other layers: for each kind of step a sum of
/// non-negative costs, fitted to the least relative error.
///
///   products        constant, FLOPs, weights touched, activations moved
///   attention core  constant, FLOPs, scores
///   other steps     constant, bytes
class Calibration {
 public:
  explicit Calibration(const std::vector<Observation>& observations);

  /// Needs an observation of the same kind and pass.
  [[nodiscard]] double seconds(const LayerShape& shape, const Operator& op) const;

 private:
  static constexpr std::size_t kMostTerms = 4;
  using Terms = std::array<double, kMostTerms>;
  using Key = std::tuple<int, Pass>;

  static Key key_of(const Operator& op);
  static Terms terms_of(const LayerShape& shape, const Operator& op);

  std::map<Key, Terms> costs_;
};

/// x >= 0 that minimises |A x - b|, for few unknowns: every set of active ones is tried.
std::vector<double> nonnegative_least_squares(const std::vector<std::vector<double>>& rows,
                                              const std::vector<double>& target);

/// Shapes to calibrate on: around `shape`, with no product of the same three extents.
std::vector<LayerShape> calibration_shapes(const LayerShape& shape);

}  // namespace smelt
