#pragma once

#include <string>
#include <string_view>

#include "smelt/cost.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// A fully active control together with what to call it.
struct Control {
  std::string name;
  SparsityControl figures;
};

/// The control of a model: the same model with E = k, named so. A dense model is its own control.
Control fully_active_control(const Model& model, const Convention& convention);

/// A control of which only the two figures are known, named "flops=F,params=N".
Control figures_control(const SparsityControl& figures);

/// A control given by its two figures, "flops=F,params=N": training FLOPs per token and
/// non-embedding parameters, both above 0. Throws InputError at `where`.
Control parse_control(std::string_view text, std::string_view where);

/// Whether a control is given by its figures rather than by a model.
bool is_control_figures(std::string_view text);

}  // namespace smelt
