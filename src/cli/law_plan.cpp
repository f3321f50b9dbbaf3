#include <algorithm>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/law_designs.hpp"
#include "cli/law_flags.hpp"
#include "cli/model_flags.hpp"
#include "smelt/error.hpp"
#include "smelt/law_figures.hpp"

namespace smelt::cli {
namespace {

class LawPlanCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "law plan"; }
  [[nodiscard]] std::string summary() const override {
    return "The compute-optimal split of a budget into model and tokens";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt law plan --budget 1e21 --sparsity 95%";
  }

  void declare(Flags& flags) override {
    laws_.declare(flags, "smelt, baseline");
    budgets_.declare(flags, "required");
    scenario_.declare(flags);
    flags.repeatable("--model", "MODEL", models_, "A model to train on the budget; again for more");
    convention_.declare(flags);
    keys_.declare(flags);
    figures_.declare(flags, {"frontier", "reducible", "isoflop"});
  }

  Answer run(const Presets& presets) override {
    if (!budgets_.list) throw InputError("--budget", "is missing", "training FLOPs, as in 1e21");
    const std::vector<Law> laws = laws_.value(presets, {"smelt", "baseline"});
    const std::vector<double> budgets = budgets_.value({});
    const std::vector<LawScenario> scenarios = scenario_.value({default_sparsity(laws)});
    LawPlanResult result;
    for (const Law& law : laws) add_rows(result, law, budgets, scenarios, presets);
    write_figures(laws, budgets, scenarios.front());
    return answer(result);
  }

 private:
  /// 0 unless a law needs one: its S = 0 is far outside the runs of the laws shipped.
  static double default_sparsity(const std::vector<Law>& laws) {
    const bool sparse = std::any_of(laws.begin(), laws.end(),
                                    [](const Law& law) { return law.form == LawForm::kSparse; });
    if (sparse) return 0.95;
    return 0;
  }

  void add_rows(LawPlanResult& result, const Law& law, const std::vector<double>& budgets,
                const std::vector<LawScenario>& scenarios, const Presets& presets) const {
    const Convention convention = convention_.value();
    std::vector<LawDesign> given;
    for (const std::string& model : models_) {
      given.push_back(law_design(read_model_argument(model, presets, keys_), convention, {}));
    }
    std::vector<LawDesign> designs = preset_designs(presets, law, convention);
    designs.insert(designs.end(), given.begin(), given.end());
    for (const double budget : budgets) {
      for (const LawScenario& scenario : scenarios) {
        result.rows.push_back(plan_with_nearest(law, budget, scenario, designs));
      }
      for (const LawDesign& design : given) {
        result.designs.push_back(plan_design(law, budget, design, scenarios.front()));
      }
    }
  }

  void write_figures(const std::vector<Law>& laws, const std::vector<double>& budgets,
                     const LawScenario& scenario) const {
    const auto [lowest, highest] = std::minmax_element(budgets.begin(), budgets.end());
    // A single budget is shown with two decades on either side.
    const double reach = *lowest == *highest ? 100 : 1;
    const LawFigureRange range{{*lowest / reach, *highest * reach}, scenario};
    figures_.write([&](const std::string& kind) {
      if (kind == "isoflop") return isoflop_figure(laws.front(), budgets, scenario);
      return kind == "reducible" ? reducible_figure(laws, range) : frontier_figure(laws, range);
    });
  }

  LawsFlag laws_;
  BudgetsFlag budgets_;
  ScenarioFlags scenario_;
  std::vector<std::string> models_;
  ConventionFlag convention_;
  AttendedKeysFlags keys_;
  FigureFlags figures_;
};

}  // namespace

std::unique_ptr<Command> make_law_plan_command() { return std::make_unique<LawPlanCommand>(); }

}  // namespace smelt::cli
