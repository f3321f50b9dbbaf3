#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "smelt/presets.hpp"
#include "smelt/rules.hpp"

namespace smelt::cli {

/// --rules, --tol and the flags that replace single rules.
struct RuleFlags {
  std::optional<std::string> rules;
  std::optional<std::string> tolerance;
  std::optional<std::string> hidden;
  std::optional<std::string> experts;
  std::optional<std::string> ffn;
  std::optional<std::string> head_dim;
  std::optional<std::string> kv_heads;
  std::optional<std::string> kv_lora_rank;
  std::optional<std::string> ffn_ratio;
  std::optional<std::string> query_width;
  std::optional<std::string> query_ratio;

  void declare(Flags& flags);
  /// The rules asked for (default: the preset `paper`) with the flags put in their place.
  [[nodiscard]] Rules value(const Presets& presets) const;
};

}  // namespace smelt::cli
