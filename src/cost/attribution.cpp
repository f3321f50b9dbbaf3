#include "smelt/attribution.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "smelt/flops.hpp"
#include "smelt/parameters.hpp"

namespace smelt {

namespace {

bool is_embedding(Component component) {
  return component == Component::kEmbedding || component == Component::kOutputHead;
}

double part(Count candidate, Count baseline, Count whole) {
  return (candidate - baseline).to_double() / whole.to_double();
}

}  // namespace

std::vector<ComponentDeviation> attribute_deviation(const Model& candidate, const Model& baseline,
                                                    const Convention& convention) {
  const FlopCounts flops = count_flops(candidate, convention);
  const FlopCounts base_flops = count_flops(baseline, convention);
  const ParameterCounts params = count_parameters(candidate);
  const ParameterCounts base_params = count_parameters(baseline);
  std::vector<ComponentDeviation> parts;
  for (const Component c : kAllComponents) {
    ComponentDeviation deviation{c, 0, 0};
    deviation.flops = part(flops.training_components[c], base_flops.training_components[c],
                           base_flops.training_per_token);
    if (!is_embedding(c)) {
      deviation.params =
          part(params.components[c], base_params.components[c], base_params.non_embedding);
    }
    if (deviation.flops != 0 || deviation.params != 0) parts.push_back(deviation);
  }
  const auto size = [](const ComponentDeviation& d) {
    return std::make_tuple(-std::abs(d.flops), -std::abs(d.params));
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const auto& a, const auto& b) { return size(a) < size(b); });
  return parts;
}

}  // namespace smelt
