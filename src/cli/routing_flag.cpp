#include "cli/routing_flag.hpp"

#include "smelt/presets.hpp"
#include "smelt/routing_file.hpp"

namespace smelt::cli {

void RoutingFlag::declare(Flags& flags) {
  flags.option("--routing", "LAW", text, "balanced (default), random, zipf:s, or a file of loads");
}

RoutingLaw RoutingFlag::value() const {
  if (!text) return {};
  if (is_path(*text)) return measured_routing(read_expert_loads_file(*text), *text);
  return parse_routing(*text, "--routing");
}

}  // namespace smelt::cli
