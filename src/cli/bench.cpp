#include "smelt/bench.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/model_flags.hpp"
#include "cli/routing_flag.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;
constexpr std::int64_t kMostThreads = 1024;

/// What is timed when no model is named: a published pair, an eighth of it.
constexpr const char* kDefaultModels[] = {"baseline-100m-s85", "smelt-100m-s85"};
constexpr std::int64_t kDefaultReduction = 8;

class BenchCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "bench"; }
  [[nodiscard]] std::string summary() const override {
    return "Measured time of models' layers on this machine, beside the prediction";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt bench baseline-100m-s85 smelt-100m-s85 --reduce 8";
  }

  void declare(Flags& flags) override {
    flags.optional_positionals(
        "MODEL", models_, "Models; the first is the Baseline. Default: a published pair, reduced");
    flags.option("--backend", "NAME", backend_, "cpu (default) or cuda");
    flags.option("--tokens", "N", tokens_, "Tokens of a step before the reduction; default 2080");
    flags.option("--reduce", "R", reduce_, "Divide tokens and experts by R; rows an expert stay");
    routing_.declare(flags);
    flags.option("--check", "X%", check_, "Exit 1 when the predicted ratio misses by more");
    flags.heading("Measuring");
    flags.option("--cache", "STATE", cache_, "sequence (default), hot or cold");
    flags.option("--threads", "N", threads_, "CPU threads; default: one a core");
    flags.option("--experts", "NAME", experts_, "CUDA: grouped (default), loop, strided, native");
    flags.option("--dtype", "NAME", dtype_, "CUDA: bf16 (default) or fp32");
    flags.option("--limit", "SECONDS", limit_, "Stop sampling after so long; default 10");
    keys_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    std::vector<std::string> names = models_;
    BenchOptions options = this->options();
    if (names.empty()) {
      names.assign(std::begin(kDefaultModels), std::end(kDefaultModels));
      if (!reduce_) options.reduction = kDefaultReduction;
    }
    const std::optional<Rational> check =
        check_ ? std::optional(parse_fraction(*check_, "--check")) : std::nullopt;
    if (check && names.size() < 2) {
      throw InputError("--check", "compares two models", "a Baseline and a matched model");
    }
    std::vector<Model> models;
    for (const std::string& name : names) {
      models.push_back(read_model_argument(name, presets, keys_));
    }
    BenchResult result = run_bench(models, options);
    const int status = check && misses(result, check->to_double()) ? 1 : 0;
    return answer(std::move(result), status);
  }

 private:
  static bool misses(const BenchResult& result, double allowed) {
    return std::any_of(result.ratios.begin(), result.ratios.end(),
                       [&](const BenchRatio& ratio) { return ratio.miss() > allowed; });
  }

  [[nodiscard]] BenchOptions options() const {
    BenchOptions options;
    if (backend_) options.backend = parse_bench_backend(*backend_, "--backend");
    if (tokens_) options.tokens = parse_count(*tokens_, "--tokens", 1, kMostTokens);
    if (reduce_) options.reduction = parse_count(*reduce_, "--reduce", 1, kMostTokens);
    options.routing = routing_.value();
    if (cache_) options.cache = parse_bench_cache(*cache_, "--cache");
    if (threads_) {
      options.threads = static_cast<int>(parse_count(*threads_, "--threads", 1, kMostThreads));
    }
    if (experts_) options.expert_kernel = parse_expert_kernel(*experts_, "--experts");
    if (dtype_) options.bf16 = parse_dtype(*dtype_);
    if (limit_) options.sampling.limit_s = parse_number(*limit_, "--limit").to_double();
    return options;
  }

  static bool parse_dtype(const std::string& text) {
    if (text == "bf16" || text == "fp32") return text == "bf16";
    throw InputError("--dtype", "unknown element type '" + text + "'", "bf16 or fp32");
  }

  std::vector<std::string> models_;
  std::optional<std::string> backend_;
  std::optional<std::string> tokens_;
  std::optional<std::string> reduce_;
  RoutingFlag routing_;
  std::optional<std::string> check_;
  std::optional<std::string> cache_;
  std::optional<std::string> threads_;
  std::optional<std::string> experts_;
  std::optional<std::string> dtype_;
  std::optional<std::string> limit_;
  AttendedKeysFlags keys_;
};

}  // namespace

std::unique_ptr<Command> make_bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace smelt::cli
