#include "smelt/time.hpp"

#include "cli/command.hpp"
#include "cli/model_flags.hpp"
#include "cli/routing_flag.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;

class TimeCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "time"; }
  [[nodiscard]] std::string summary() const override {
    return "Predicted time of models' layers on a device, from first principles";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt time baseline-200m-s95 smelt-200m-s95 --device h100-sxm --tokens 32k";
  }

  void declare(Flags& flags) override {
    flags.positionals("MODEL", models_, "Models; the first is the Baseline");
    flags.option("--device", "NAME", device_, "A preset (smelt presets) or a file; required");
    flags.option("--tokens", "N", tokens_, "Tokens of a step; sequences when decoding; required");
    flags.option("--phase", "NAME", phase_, "train (default), forward or decode");
    flags.option("--dtype", "NAME", dtype_, "bf16 (default), fp16, fp8, tf32 or fp32");
    routing_.declare(flags);
    flags.option("--experts", "NAME", experts_, "grouped (default) or loop: one launch an expert");
    flags.option("--launch-us", "X", launch_us_, "Microseconds a launch costs; default 2.5");
    keys_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    TimeRequest request;
    request.options = options();
    if (!device_) throw InputError("--device", "is missing", "a name that `smelt presets` lists");
    request.hardware = presets.hardware(*device_);
    for (const std::string& model : models_) {
      request.models.push_back(read_model_argument(model, presets, keys_));
    }
    return answer(compare_times(request));
  }

 private:
  [[nodiscard]] TimeOptions options() const {
    TimeOptions options;
    if (!tokens_) throw InputError("--tokens", "is missing", "the tokens of one step");
    options.tokens = parse_count(*tokens_, "--tokens", 1, kMostTokens);
    if (phase_) options.phase = parse_phase(*phase_, "--phase");
    if (dtype_) options.precision = parse_precision(*dtype_, "--dtype");
    options.routing = routing_.value();
    if (experts_) options.experts = parse_expert_launch(*experts_, "--experts");
    if (launch_us_) options.launch_s = parse_microseconds(*launch_us_);
    return options;
  }

  static double parse_microseconds(const std::string& text) {
    const double microseconds = parse_number(text, "--launch-us").to_double();
    if (microseconds < 0) throw InputError("--launch-us", text + " is too small", "0 or more");
    return microseconds * 1e-6;
  }

  std::vector<std::string> models_;
  std::optional<std::string> device_;
  std::optional<std::string> tokens_;
  std::optional<std::string> phase_;
  std::optional<std::string> dtype_;
  RoutingFlag routing_;
  std::optional<std::string> experts_;
  std::optional<std::string> launch_us_;
  AttendedKeysFlags keys_;
};

}  // namespace

std::unique_ptr<Command> make_time_command() { return std::make_unique<TimeCommand>(); }

}  // namespace smelt::cli
