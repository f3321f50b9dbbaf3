#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "bench/layer_run.hpp"

namespace smelt {

/// The layer once more, in double precision and plain loops over tokens and slots: no permutation,
/// no grouping, no blocks, no code of the product's. Inputs are those that the run holds, so that
/// rounding them to its type is no error.
class ReferenceLayer {
 public:
  /// `chosen`: experts that the run's top-k chose (checked by `worst_choice`), T x k; `routed`:
  /// where the slots really went.
  ReferenceLayer(const LayerShape& shape, LayerRun& run, std::vector<std::int32_t> chosen,
                 std::vector<std::int32_t> routed);

  /// ||run - reference|| / ||reference|| of a computed tensor; infinite for NaN. Tensors of
  /// permuted rows are compared slot by slot.
  double error(LayerRun& run, Tensor tensor) const;

  /// How far a logit that was left out lies above one that was chosen, at worst; 0 when the choice
  /// is right.
  double worst_choice() const;

 private:
  using Values = std::vector<double>;

  void attention();
  void attention_gradients();
  void moe();
  void moe_gradients();
  const Values& at(Tensor tensor) const { return values_.at(tensor); }
  Values& make(Tensor tensor);
  std::size_t row_of_slot(std::size_t slot) const;

  LayerShape shape_;
  std::vector<std::int32_t> chosen_;
  std::vector<std::int32_t> routed_;
  std::map<Tensor, Values> values_;  ///< permuted tensors in slot order
};

}  // namespace smelt
