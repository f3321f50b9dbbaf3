#include "cli/rule_flags.hpp"

#include "smelt/error.hpp"
#include "smelt/rule_flags.hpp"

namespace smelt::cli {

void RuleFlags::declare(Flags& flags) {
  flags.heading("Rules (a value, a list a,b,c or a range LO..HI%STEP)");
  flags.option("--rules", "RULES", rules, "A rules preset or file; default: paper");
  flags.option("--tol", "TOL", tolerance, "flops=4%,params=1%,kv=4%, any of the three");
  flags.option("--hidden", "H", hidden, "Hidden size");
  flags.option("--experts", "E", experts, "Routed experts");
  flags.option("--ffn", "F", ffn, "Expert FFN width; a dense model's FFN width");
  flags.option("--head-dim", "D", head_dim, "Head size");
  flags.option("--kv-heads", "N", kv_heads, "Key-value heads");
  flags.option("--kv-lora-rank", "R", kv_lora_rank, "Rank of latent attention's cache");
  flags.option("--ffn-ratio", "LO..HI", ffn_ratio, "Bounds of F/H over the Baseline's");
  flags.option("--query-width", "HOW", query_width, "hidden (n_q d = H) or free");
  flags.option("--query-ratio", "LO..HI", query_ratio,
               "Bounds of n_q d / H over the Baseline's, where free");
}

Rules RuleFlags::value(const Presets& presets) const {
  const Rules preset = presets.rules(rules.value_or("paper"));
  Rules result = preset;
  const auto replace = [](const std::optional<std::string>& text, const char* flag, Axis& axis) {
    if (text) axis = parse_axis(*text, flag);
  };
  replace(hidden, "--hidden", result.hidden_size);
  replace(experts, "--experts", result.num_experts);
  replace(ffn, "--ffn", result.moe_intermediate_size);
  replace(head_dim, "--head-dim", result.head_dim);
  replace(kv_heads, "--kv-heads", result.num_key_value_heads);
  replace(kv_lora_rank, "--kv-lora-rank", result.kv_lora_rank);
  if (tolerance) result.tolerance = parse_tolerance(*tolerance, "--tol", result.tolerance);
  if (ffn_ratio) result.ffn_ratio = parse_ratio_range(*ffn_ratio, "--ffn-ratio");
  if (query_width) {
    if (*query_width != "hidden" && *query_width != "free") {
      throw InputError("--query-width", "'" + *query_width + "' is unknown", "hidden or free");
    }
    result.query_width_is_hidden = *query_width == "hidden";
    if (result.query_width_is_hidden && query_ratio) {
      throw InputError("--query-ratio", "has no effect with --query-width hidden",
                       "one of the two");
    }
    if (result.query_width_is_hidden) result.query_ratio = {};
  }
  if (query_ratio) {
    result.query_width_is_hidden = false;
    result.query_ratio = parse_ratio_range(*query_ratio, "--query-ratio");
  }
  if (result != preset) result.name += "+flags";
  return result;
}

}  // namespace smelt::cli
