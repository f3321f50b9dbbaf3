#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/model_flags.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000'000;

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
    flags.toggle("--conventions", conventions_, "Count under every convention, switch by switch");
    flags.option("--context", "T", context_, "Total the KV cache at T tokens");
    flags.option("--batch", "B", batch_, "Sequences at that context (default 1)");
    flags.option("--kv-dtype", "TYPE", kv_dtype_, "Cache in bf16 (default), fp8, fp32 or int4");
  }

  Answer run(const Presets& presets) override {
    CostRequest request;
    request.convention = counting_.convention.value();
    if (kv_dtype_) request.kv_dtype = parse_kv_dtype(*kv_dtype_, "--kv-dtype");
    const ReadModel read = read_model_with_origin(model_, presets, model_flags_);
    request.model = read.model;
    counting_.apply_kv_policy(request.model);
    request.control = counting_.control_value(presets, model_flags_.keys);
    request.all_conventions = conventions_;
    if (context_) request.context = parse_count(*context_, "--context", 1, kMostTokens);
    if (batch_) request.batch = parse_count(*batch_, "--batch", 1, kMostTokens);
    request.flops_optional = read.imported;
    return answer(evaluate_cost(request));
  }

 private:
  std::string model_;
  ModelFlags model_flags_;
  CountingFlags counting_;
  std::optional<std::string> kv_dtype_;
  std::optional<std::string> context_;
  std::optional<std::string> batch_;
  bool conventions_ = false;
};

}  // namespace

std::unique_ptr<Command> make_cost_command() { return std::make_unique<CostCommand>(); }

}  // namespace smelt::cli
