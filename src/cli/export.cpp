#include "smelt/export.hpp"

#include "cli/command.hpp"
#include "cli/model_flags.hpp"
#include "smelt/error.hpp"

namespace smelt::cli {
namespace {

class ExportCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "export"; }
  [[nodiscard]] std::string summary() const override {
    return "A model in the form that a training framework reads";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt export baseline-200m-s95 --set vocab_size=50304 --to megatron";
  }

  void declare(Flags& flags) override {
    flags.positional("MODEL", model_, "A preset's name, a model file, a config.json, or -");
    flags.option("--to", "TARGET", target_, "hf, megatron, torchtitan or smelt");
    model_flags_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    if (!target_) throw InputError("--to", "is missing", "hf, megatron, torchtitan or smelt");
    return verbatim(
        export_model(read_model_argument(model_, presets, model_flags_), *target_).text);
  }

 private:
  std::string model_;
  std::optional<std::string> target_;
  ModelFlags model_flags_;
};

}  // namespace

std::unique_ptr<Command> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace smelt::cli
