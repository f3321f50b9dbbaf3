#include "smelt/match.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/model_flags.hpp"
#include "cli/rule_flags.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

class MatchCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "match"; }
  [[nodiscard]] std::string summary() const override {
    return "The best looped design with a Baseline's three budgets, proven";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt match baseline-200m-s95 --loop 1/2x2 --rules paper";
  }

  void declare(Flags& flags) override {
    flags.positional("BASELINE", baseline_, "The model whose budgets are to be met");
    flags.heading("Design");
    flags.option("--loop", "LOOP", loop_, "1/2x2 (middle half, twice), 4-9x2 or none; required");
    flags.option("--layers", "L", layers_, "Physical layers; default: the Baseline's");
    rules_.declare(flags);
    flags.heading("Answer");
    flags.option("--objective", "NAME", objective_, "max (default), sum or scaled");
    flags.option("--top", "K", top_, "The K best designs; default 1");
    model_flags_.declare_reading(flags);
    counting_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    const MatchProblem problem = read_problem(presets);
    const auto start = std::chrono::steady_clock::now();
    const MatchResult result = solve(problem);
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    MatchReport report =
        report_match(problem, result, counting_.control_value(presets, model_flags_.keys));
    report.elapsed_ms = elapsed.count();
    const int status = report.feasible() ? 0 : 1;
    return answer(std::move(report), status);
  }

 private:
  static constexpr std::int64_t kMostCandidates = 100'000;

  /// An imported config that is matched without a word on documents is taken at its longest
  /// context, Baseline and designs alike.
  [[nodiscard]] Model read_baseline(const Presets& presets) const {
    ReadModel read = read_model_with_origin(baseline_, presets, model_flags_);
    Model& model = read.model;
    const bool stated = model.attended_keys || model.documents || model.sequence_length;
    if (stated || !read.longest_context) return model;
    std::cerr << fmt::format(
        "smelt: warning: {}: matched at documents of {} tokens, its max_position_embeddings "
        "(--seq-len S or --doc-len T for others)\n",
        model.name, *read.longest_context);
    AttendedKeysFlags whole;
    whole.sequence_length = std::to_string(*read.longest_context);
    whole.apply(model);
    return model;
  }

  [[nodiscard]] MatchProblem read_problem(const Presets& presets) const {
    if (!loop_) throw InputError("--loop", "is missing", "1/2x2, 4-9x2 or none");
    MatchProblem problem;
    problem.baseline = read_baseline(presets);
    counting_.apply_kv_policy(problem.baseline);
    problem.num_layers =
        layers_ ? parse_count(*layers_, "--layers", 1, kMostLayers) : problem.baseline.num_layers();
    problem.loop = parse_loop(*loop_, problem.num_layers, "--loop");
    problem.rules = rules_.value(presets);
    problem.convention = counting_.convention.value();
    if (objective_) problem.objective = parse_objective(*objective_, "--objective");
    if (top_) problem.top = parse_count(*top_, "--top", 1, kMostCandidates);
    return problem;
  }

  std::string baseline_;
  std::optional<std::string> loop_;
  std::optional<std::string> layers_;
  RuleFlags rules_;
  std::optional<std::string> objective_;
  std::optional<std::string> top_;
  ModelFlags model_flags_;
  CountingFlags counting_;
};

}  // namespace

std::unique_ptr<Command> make_match_command() { return std::make_unique<MatchCommand>(); }

}  // namespace smelt::cli
