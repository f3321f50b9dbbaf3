#pragma once

#include <optional>
#include <vector>

#include "smelt/control.hpp"
#include "smelt/convention.hpp"
#include "smelt/law_report.hpp"
#include "smelt/model.hpp"
#include "smelt/presets.hpp"

namespace smelt::cli {

/// A model as a law sees it: F by the convention, S against the control (the model with E = k where
/// there is none).
LawDesign law_design(const Model& model, const Convention& convention,
                     const std::optional<Control>& control);

/// The preset models as designs, those alone whose names begin with the law's ("smelt-") where
/// there are any. A looped model of the paper's grid is measured against the control of its own
/// family. Presets that state too little for their FLOPs are left out.
std::vector<LawDesign> preset_designs(const Presets& presets, const Law& law,
                                      const Convention& convention);

/// The variables of the law's form for a model trained on `tokens`: N is all stored parameters in
/// the Chinchilla form, and the non-embedding ones outside and inside the loop in the loop form.
std::vector<double> law_variables(LawForm form, const Model& model, const LawDesign& design,
                                  double tokens);

}  // namespace smelt::cli
