#include <algorithm>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/model_flags.hpp"
#include "smelt/error.hpp"

namespace smelt::cli {
namespace {

class CompareCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "compare"; }
  [[nodiscard]] std::string summary() const override {
    return "How far models are from a Baseline's three budgets";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt compare baseline-200m-s95 smelt-200m-s95";
  }

  void declare(Flags& flags) override {
    flags.positional("BASELINE", baseline_, "The model whose budgets are to be met");
    flags.positionals("MODEL", models_, "Models to compare; --loop and --set change these");
    model_flags_.declare(flags);
    counting_.declare(flags);
    flags.toggle("--conventions", conventions_, "Say under which conventions the match holds");
  }

  Answer run(const Presets& presets) override {
    if (std::count(models_.begin(), models_.end(), "-") + (baseline_ == "-" ? 1 : 0) > 1) {
      throw InputError("-", "standard input can be read once", "one MODEL from it");
    }
    CompareRequest request;
    request.convention = counting_.convention.value();
    request.baseline = read_model_argument(baseline_, presets, model_flags_.keys);
    for (const std::string& model : models_) {
      request.models.push_back(read_model_argument(model, presets, model_flags_));
    }
    for (Model& model : request.models) counting_.apply_kv_policy(model);
    counting_.apply_kv_policy(request.baseline);
    request.control = counting_.control_value(presets, model_flags_.keys);
    request.all_conventions = conventions_;
    return answer(compare(request));
  }

 private:
  std::string baseline_;
  std::vector<std::string> models_;
  ModelFlags model_flags_;
  CountingFlags counting_;
  bool conventions_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace smelt::cli
