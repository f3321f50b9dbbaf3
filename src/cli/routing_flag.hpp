#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "smelt/routing.hpp"

namespace smelt::cli {

/// --routing: a law by name, or the path of a file of measured loads.
struct RoutingFlag {
  std::optional<std::string> text;

  void declare(Flags& flags);
  [[nodiscard]] RoutingLaw value() const;
};

}  // namespace smelt::cli
