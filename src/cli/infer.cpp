#include "smelt/infer.hpp"

#include <iostream>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"
#include "smelt/printed_table_file.hpp"
#include "smelt/rule_flags.hpp"
#include "smelt/text_file.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kMostShown = 1'000'000;
constexpr std::int64_t kMostShared = 64;

/// "512" or "LO..HI%STEP" as multiples within bounds. Throws InputError at `where`.
StepRange parse_step_range(const std::string& text, const char* where) {
  const Axis axis = parse_axis(text, where);
  if (axis.values.size() > 1) {
    throw InputError(where, "'" + text + "' is a list", "a value or a range LO..HI%STEP");
  }
  if (axis.values.size() == 1) return {1, axis.values.front(), axis.values.front()};
  return {axis.multiple_of, axis.lowest, axis.highest};
}

class InferCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "infer"; }
  [[nodiscard]] std::string summary() const override {
    return "The widths that a publication leaves out, from its printed figures";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt infer table.csv --format markdown";
  }

  void declare(Flags& flags) override {
    flags.positional("TABLE", table_, "Printed figures: a JSON or CSV file, or -");
    flags.heading("Looked at (a value or a range LO..HI%STEP)");
    flags.option("--ffn", "F", ffn_, "Expert FFN width; default ..8H%8");
    flags.option("--kv-width", "W", kv_width_, "n_kv d, a divisor of the query width; default %4");
    flags.option("--query-width", "Q", query_width_, "n_q d; default: H");
    flags.option("--ffn-kind", "KIND", ffn_kind_, "gated, plain or any (default)");
    flags.option("--shared", "N", shared_, "Most shared experts, of width F; default 2");
    flags.option("--keys", "LO..HI", keys_, "Mean attended keys; default 1..1000000");
    flags.heading("Answer");
    flags.option("--top", "K", top_,
                 "Solutions shown of each row and family; default 3, JSON 1000");
    convention_.declare(flags);
  }

  Answer run(const Presets& /*presets*/) override {
    const PrintedTable table =
        table_ == "-" ? read_stream() : read_printed_table(std::filesystem::path(table_));
    InferReport report{infer_geometry(table, domain(), convention_.value()), std::nullopt};
    if (top_) report.top = parse_count(*top_, "--top", 1, kMostShown);
    const int status = report.result.all_fit() ? 0 : 1;
    return answer(std::move(report), status);
  }

 private:
  static PrintedTable read_stream() {
    const std::string text = read_text_stream(std::cin, "-");
    try {
      return parse_printed_table(text);
    } catch (const InputError& error) {
      throw error.within("-");
    }
  }

  [[nodiscard]] InferDomain domain() const {
    InferDomain domain;
    if (ffn_) domain.expert_ffn = parse_step_range(*ffn_, "--ffn");
    if (kv_width_) domain.kv_width = parse_step_range(*kv_width_, "--kv-width");
    if (query_width_) domain.query_width = parse_step_range(*query_width_, "--query-width");
    if (ffn_kind_) domain.matrices = matrices(*ffn_kind_);
    if (shared_) domain.most_shared_experts = parse_count(*shared_, "--shared", 0, kMostShared);
    if (keys_) {
      const StepRange keys = parse_step_range(*keys_, "--keys");
      if (keys.multiple_of != 1) {
        throw InputError("--keys", "'" + *keys_ + "' has a step", "whole numbers LO..HI");
      }
      domain.lowest_keys = keys.lowest.value_or(domain.lowest_keys);
      domain.highest_keys = keys.highest.value_or(domain.highest_keys);
    }
    return domain;
  }

  static std::vector<std::int64_t> matrices(const std::string& kind) {
    if (kind == "gated") return {kGatedMatrices};
    if (kind == "plain") return {2};
    if (kind != "any")
      throw InputError("--ffn-kind", "'" + kind + "' is unknown", "gated, plain or any");
    return {kGatedMatrices, 2};
  }

  std::string table_;
  std::optional<std::string> ffn_;
  std::optional<std::string> kv_width_;
  std::optional<std::string> query_width_;
  std::optional<std::string> ffn_kind_;
  std::optional<std::string> shared_;
  std::optional<std::string> keys_;
  std::optional<std::string> top_;
  ConventionFlag convention_;
};

}  // namespace

std::unique_ptr<Command> make_infer_command() { return std::make_unique<InferCommand>(); }

}  // namespace smelt::cli
