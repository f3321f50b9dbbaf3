#include "smelt/control.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

constexpr std::string_view kFlopsKey = "flops";
constexpr std::string_view kParamsKey = "params";

std::string control_name(const Model& model) {
  const auto chosen = [](const Layer& layer) { return layer.ffn.num_experts_per_tok; };
  std::int64_t most = 0;
  for (const Layer& layer : model.layers) most = std::max(most, chosen(layer));
  if (most == 0) return fmt::format("{} itself (no routed experts)", model.name);
  const bool alike = std::all_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
    return chosen(layer) == 0 || chosen(layer) == most;
  });
  return alike ? fmt::format("{} with E = k = {}", model.name, most)
               : fmt::format("{} with E = k", model.name);
}

/// The value of KEY in "KEY=VALUE,KEY=VALUE".
std::string_view value_of(std::string_view text, std::string_view key, std::string_view where) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos && item.substr(0, equals) == key) {
      return item.substr(equals + 1);
    }
    if (equals == std::string_view::npos ||
        (item.substr(0, equals) != kFlopsKey && item.substr(0, equals) != kParamsKey)) {
      throw InputError(std::string(where), fmt::format("'{}' is no figure of a control", item),
                       "flops=F,params=N");
    }
  }
  throw InputError(std::string(where), fmt::format("{} is missing in '{}'", key, text),
                   "flops=F,params=N");
}

Count figure(std::string_view text, std::string_view key, std::string_view where) {
  return parse_count(value_of(text, key, where), fmt::format("{}: {}", where, key), 1);
}

}  // namespace

Control fully_active_control(const Model& model, const Convention& convention) {
  const Model control = fully_active(model);
  return {control_name(model),
          {count_flops(control, convention).training_per_token,
           count_parameters(control).non_embedding}};
}

Control figures_control(const SparsityControl& figures) {
  return {fmt::format("flops={},params={}", figures.training_flops_per_token.value(),
                      figures.non_embedding_params.value()),
          figures};
}

bool is_control_figures(std::string_view text) { return text.find('=') != std::string_view::npos; }

Control parse_control(std::string_view text, std::string_view where) {
  return figures_control({figure(text, kFlopsKey, where), figure(text, kParamsKey, where)});
}

}  // namespace smelt
