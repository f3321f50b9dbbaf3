#include <algorithm>

#include "cli/command.hpp"
#include "cli/law_flags.hpp"
#include "smelt/law_figures.hpp"

namespace smelt::cli {
namespace {

class LawGainCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "law gain"; }
  [[nodiscard]] std::string summary() const override {
    return "Compute that one architecture saves over another at equal loss";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt law gain smelt baseline --budget 1e20,1e21,1e22 --sparsity 85%,95%,97%";
  }

  void declare(Flags& flags) override {
    flags.positional("TARGET", target_, "The law of the architecture that is to save");
    flags.positional("REFERENCE", reference_, "The law that it is measured against");
    budgets_.declare(flags, "default: 1e20,1e21,1e22");
    scenario_.declare(flags);
    figures_.declare(flags, {"gain"});
  }

  Answer run(const Presets& presets) override {
    const Law target = presets.law(target_);
    const Law reference = presets.law(reference_);
    const std::vector<double> budgets = budgets_.value({1e20, 1e21, 1e22});
    const bool is_sparse = target.form == LawForm::kSparse;
    const std::vector<LawScenario> scenarios =
        scenario_.value(is_sparse ? std::vector<double>{0.85, 0.95, 0.97} : std::vector<double>{0});
    const LawGainResult result = tabulate_gain(target, reference, budgets, scenarios);
    figures_.write([&](const std::string&) {
      const auto [lowest, highest] = std::minmax_element(budgets.begin(), budgets.end());
      return gain_figure(target, reference, {*lowest, *highest}, scenarios);
    });
    return answer(result);
  }

 private:
  std::string target_;
  std::string reference_;
  BudgetsFlag budgets_;
  ScenarioFlags scenario_;
  FigureFlags figures_;
};

}  // namespace

std::unique_ptr<Command> make_law_gain_command() { return std::make_unique<LawGainCommand>(); }

}  // namespace smelt::cli
