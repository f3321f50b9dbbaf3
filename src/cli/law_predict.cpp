#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/law_designs.hpp"
#include "cli/law_flags.hpp"
#include "cli/model_flags.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

/// A variable of some form that a flag gives.
struct VariableFlag {
  const char* variable;
  const char* flag;
  const char* help;
};
constexpr VariableFlag kVariables[] = {
    {"params", "--params", "N, parameters of a dense model"},
    {"flops_per_token", "--flops-per-token", "F, training FLOPs per token"},
    {"sparsity", "--sparsity", "S; with a MODEL, in place of its own"},
    {"once_params", "--once-params", "N_once, parameters outside the loop"},
    {"recurrent_params", "--recurrent-params", "N_rec, stored parameters of the looped block"},
    {"visits", "--visits", "r, visits of the looped block"},
    {"tokens", "--tokens", "D, training tokens; required"},
};
constexpr std::size_t kNumVariables = std::size(kVariables);

class LawPredictCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "law predict"; }
  [[nodiscard]] std::string summary() const override {
    return "The loss that a law gives a model after so many tokens";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt law predict smelt-200m-s95 --tokens 20B --law smelt";
  }

  void declare(Flags& flags) override {
    flags.optional_positional("MODEL", model_, "A preset's name, a model file, or -");
    laws_.declare(flags, "smelt if looped, or baseline");
    flags.heading("Variables");
    for (std::size_t i = 0; i < kNumVariables; ++i) {
      flags.option(kVariables[i].flag, "X", given_[i], kVariables[i].help);
    }
    model_flags_.declare(flags);
    counting_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    if (!text_of("tokens"))
      throw InputError("--tokens", "is missing", "training tokens, as in 20B");
    if (!model_ && laws_.names.empty()) {
      throw InputError("--law", "is missing", "a law, or a MODEL to choose one by");
    }
    LawPredictResult result;
    if (model_) {
      predict_model(result, read_model_argument(*model_, presets, model_flags_), presets);
    } else {
      for (const Law& law : laws_.value(presets, {})) {
        result.rows.push_back(predict(law, "", given_variables(law)));
      }
    }
    return answer(result);
  }

 private:
  [[nodiscard]] const std::optional<std::string>& text_of(std::string_view variable) const {
    std::size_t i = 0;
    while (kVariables[i].variable != variable) ++i;
    return given_[i];
  }

  [[nodiscard]] double value_of(const std::string& variable) const {
    std::size_t i = 0;
    while (kVariables[i].variable != variable) ++i;
    const char* flag = kVariables[i].flag;
    if (!given_[i]) throw InputError(flag, "is missing", "the law needs it, or a MODEL");
    if (variable == "sparsity") return parse_fraction(*given_[i], flag).to_double();
    return parse_real(*given_[i], flag);
  }

  [[nodiscard]] std::vector<double> given_variables(const Law& law) const {
    std::vector<double> values;
    for (const std::string& variable : law_form_info(law.form).variables) {
      values.push_back(value_of(variable));
    }
    return values;
  }

  void predict_model(LawPredictResult& result, const Model& model, const Presets& presets) const {
    const bool looped = !loop_spans(model).empty();
    LawDesign design = law_design(model, counting_.convention.value(),
                                  counting_.control_value(presets, model_flags_.keys));
    if (text_of("sparsity")) design.sparsity = value_of("sparsity");
    for (const Law& law : laws_.value(presets, {looped ? "smelt" : "baseline"})) {
      const std::vector<double> variables =
          law_variables(law.form, model, design, value_of("tokens"));
      result.rows.push_back(predict(law, model.name, variables));
    }
  }

  std::optional<std::string> model_;
  LawsFlag laws_;
  std::optional<std::string> given_[kNumVariables];
  ModelFlags model_flags_;
  CountingFlags counting_;
};

}  // namespace

std::unique_ptr<Command> make_law_predict_command() {
  return std::make_unique<LawPredictCommand>();
}

}  // namespace smelt::cli
