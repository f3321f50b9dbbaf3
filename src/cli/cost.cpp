#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/model_flags.hpp"

namespace smelt::cli {
namespace {

class CostCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "cost"; }
  [[nodiscard]] std::string summary() const override {
    return "Parameters, FLOPs, KV cache and sparsity of a model, by component";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt cost baseline-200m-s95 --loop 1/2x2";
  }

  void declare(Flags& flags) override {
    flags.positional("MODEL", model_, "A preset's name, a model file, or -");
    model_flags_.declare(flags);
    counting_.declare(flags);
    flags.heading("Counting");
    flags.option("--kv-dtype", "TYPE", kv_dtype_, "Cache in bf16 (default), fp8, fp32 or int4");
  }

  Answer run(const Presets& presets) override {
    CostRequest request;
    request.convention = counting_.convention.value();
    if (kv_dtype_) request.kv_dtype = parse_kv_dtype(*kv_dtype_, "--kv-dtype");
    request.model = read_model_argument(model_, presets, model_flags_);
    counting_.apply_kv_policy(request.model);
    request.control = counting_.control_value(presets, model_flags_.keys);
    return answer(evaluate_cost(request));
  }

 private:
  std::string model_;
  ModelFlags model_flags_;
  CountingFlags counting_;
  std::optional<std::string> kv_dtype_;
};

}  // namespace

std::unique_ptr<Command> make_cost_command() { return std::make_unique<CostCommand>(); }

}  // namespace smelt::cli
