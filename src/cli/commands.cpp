#include "cli/command.hpp"

namespace smelt::cli {

std::unique_ptr<Command> make_cost_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_grid_command();
std::unique_ptr<Command> make_time_command();
std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_match_command();
std::unique_ptr<Command> make_search_command();
std::unique_ptr<Command> make_merge_command();
std::unique_ptr<Command> make_audit_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_families_command();
std::unique_ptr<Command> make_infer_command();
std::unique_ptr<Command> make_sweep_command();
std::unique_ptr<Command> make_law_predict_command();
std::unique_ptr<Command> make_law_plan_command();
std::unique_ptr<Command> make_law_gain_command();
std::unique_ptr<Command> make_law_fit_command();
std::unique_ptr<Command> make_presets_command();
std::unique_ptr<Command> make_schema_command();

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make :
       {make_cost_command, make_compare_command, make_match_command, make_sweep_command,
        make_search_command, make_merge_command, make_grid_command, make_infer_command,
        make_time_command, make_bench_command, make_law_predict_command, make_law_plan_command,
        make_law_gain_command, make_law_fit_command, make_audit_command, make_export_command,
        make_families_command, make_presets_command, make_schema_command}) {
    commands.push_back(make());
  }
  return commands;
}

}  // namespace smelt::cli
