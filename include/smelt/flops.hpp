#pragma once

#include <string>
#include <vector>

#include "smelt/component.hpp"
#include "smelt/convention.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// FLOPs per token. Training is three times forward (the backward pass is twice the forward), less
/// where a loop is trained through its last visits only, more where activations are recomputed.
struct FlopCounts {
  Breakdown training_components;
  Count training_per_token;
  Count forward_per_token;
};

/// Throws InputError when the convention counts score products and the model states no attended
/// keys (or no sequence length, where the rule is written in it), or counts the output head and the
/// model states no vocabulary.
FlopCounts count_flops(const Model& model, const Convention& convention);

/// One switch between two conventions and the training FLOPs per token that it adds.
struct SwitchEffect {
  std::string name;
  std::string from;
  std::string to;
  Count flops;  ///< signed
};

/// The way from one convention to another, a switch at a time in the order of `switches`; the
/// effects add up to the difference of the two counts.
std::vector<SwitchEffect> explain_gap(const Model& model, const Convention& from,
                                      const Convention& to);

}  // namespace smelt
