#include "cli/counting_flags.hpp"

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {

void ConventionFlag::declare(Flags& flags) {
  flags.heading("Counting");
  flags.option("--convention", "NAME", name, "FLOPs by paper (default), matmul, 6n, full, ...");
}

Convention ConventionFlag::value() const {
  return convention_named(name.value_or(conventions().front().name), "--convention");
}

void CountingFlags::declare(Flags& flags) {
  convention.declare(flags);
  flags.option("--control", "MODEL", control, "S is against MODEL with E = k, or flops=F,params=N");
  flags.option("--kv-policy", "POLICY", kv_policy,
               "Of a loop: per_visit (default), shared, first, last, budget=VISITS");
}

std::optional<Control> CountingFlags::control_value(const Presets& presets,
                                                    const AttendedKeysFlags& keys) const {
  if (!control) return std::nullopt;
  if (is_control_figures(*control)) return parse_control(*control, "--control");
  return fully_active_control(read_model_argument(*control, presets, keys), convention.value());
}

void CountingFlags::apply_kv_policy(Model& model) const {
  if (!kv_policy) return;
  constexpr std::string_view kBudget = "budget=";
  if (kv_policy->rfind(kBudget, 0) == 0) {
    model.loop.kv = KvPolicy::kBudget;
    model.loop.kv_visits =
        parse_count(kv_policy->substr(kBudget.size()), "--kv-policy", 1, kMostVisits);
    return;
  }
  model.loop.kv = parse_kv_policy(*kv_policy, "--kv-policy");
  if (model.loop.kv == KvPolicy::kBudget) {
    throw InputError("--kv-policy", "'budget' needs a number of visits", "budget=2 for two");
  }
}

}  // namespace smelt::cli
