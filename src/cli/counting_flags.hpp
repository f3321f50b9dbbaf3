#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "cli/model_flags.hpp"
#include "smelt/control.hpp"
#include "smelt/cost.hpp"
#include "smelt/presets.hpp"

namespace smelt::cli {

/// --convention.
struct ConventionFlag {
  std::optional<std::string> name;

  void declare(Flags& flags);
  [[nodiscard]] Convention value() const;
};

/// How a command counts: convention, control and cache policy.
struct CountingFlags {
  ConventionFlag convention;
  std::optional<std::string> control;
  std::optional<std::string> kv_policy;

  void declare(Flags& flags);
  /// The control asked for; absent: the command's default.
  [[nodiscard]] std::optional<Control> control_value(const Presets& presets,
                                                     const AttendedKeysFlags& keys) const;
  void apply_kv_policy(Model& model) const;
};

}  // namespace smelt::cli
