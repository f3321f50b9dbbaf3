#include "cli/law_designs.hpp"

#include <algorithm>
#include <map>

#include "smelt/cost.hpp"
#include "smelt/error.hpp"
#include "smelt/sparsity.hpp"

namespace smelt::cli {
namespace {

/// Non-embedding parameters outside the loop.
double once_params(Model model) {
  model.layers.erase(std::remove_if(model.layers.begin(), model.layers.end(),
                                    [](const Layer& layer) { return layer.visits > 1; }),
                     model.layers.end());
  return count_parameters(model).non_embedding.to_double();
}

double most_visits(const Model& model) {
  std::int64_t visits = 1;
  for (const Layer& layer : model.layers) visits = std::max(visits, layer.visits);
  return static_cast<double>(visits);
}

/// The controls of their own families that the paper's grid states, by model.
std::map<std::string, Control> family_controls(const Presets& presets) {
  std::map<std::string, Control> controls;
  const std::vector<std::string> grids = presets.names(PresetKind::kGrid);
  if (std::find(grids.begin(), grids.end(), "paper") == grids.end()) return controls;
  for (const GridRow& row : presets.grid("paper").rows) {
    if (row.matched && row.control) controls[*row.matched] = figures_control(*row.control);
  }
  return controls;
}

}  // namespace

LawDesign law_design(const Model& model, const Convention& convention,
                     const std::optional<Control>& control) {
  const Count flops = count_flops(model, convention).training_per_token;
  const SparsityControl figures =
      control ? control->figures : fully_active_control(model, convention).figures;
  return {model.name, flops.to_double(),
          sparsity(flops, count_parameters(model).non_embedding, figures)};
}

std::vector<LawDesign> preset_designs(const Presets& presets, const Law& law,
                                      const Convention& convention) {
  const std::map<std::string, Control> controls = family_controls(presets);
  std::vector<LawDesign> all;
  std::vector<LawDesign> own;
  for (const std::string& name : presets.names(PresetKind::kModel)) {
    try {
      const auto control = controls.find(name);
      all.push_back(law_design(
          presets.model(name), convention,
          control == controls.end() ? std::nullopt : std::optional<Control>(control->second)));
    } catch (const InputError&) {
      continue;
    }
    if (name.rfind(law.name + "-", 0) == 0) own.push_back(all.back());
  }
  return own.empty() ? all : own;
}

std::vector<double> law_variables(LawForm form, const Model& model, const LawDesign& design,
                                  double tokens) {
  if (form == LawForm::kSparse) return {design.flops_per_token, design.sparsity, tokens};
  const ParameterCounts counts = count_parameters(model);
  if (form == LawForm::kChinchilla) return {counts.total.to_double(), tokens};
  const double once = once_params(model);
  return {once, counts.non_embedding.to_double() - once, most_visits(model), tokens};
}

}  // namespace smelt::cli
