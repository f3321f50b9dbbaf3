#include "smelt/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/hf/writer.hpp"
#include "io/megatron.hpp"
#include "io/torchtitan.hpp"
#include "smelt/error.hpp"
#include "smelt/model_file.hpp"

namespace smelt {

const std::vector<std::string>& export_targets() {
  static const std::vector<std::string> kTargets = {"hf", "megatron", "torchtitan", "smelt"};
  return kTargets;
}

Export export_model(const Model& model, std::string_view target) {
  if (target == "hf") return {write_json(hf::config_of(model)), "config.json"};
  if (target == "megatron") return {megatron_arguments(model), "model.args"};
  if (target == "torchtitan") return {torchtitan_arguments(model), "model_args.json"};
  if (target == "smelt") return {write_model(model), "model.json"};
  throw InputError("--to", fmt::format("unknown target '{}'", target),
                   fmt::format("one of {}", fmt::join(export_targets(), ", ")));
}

}  // namespace smelt
