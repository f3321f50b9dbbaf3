#include "smelt/law_fit.hpp"

#include "cli/command.hpp"
#include "cli/data_argument.hpp"
#include "cli/law_flags.hpp"
#include "cli/whole_file.hpp"
#include "smelt/error.hpp"
#include "smelt/law_data_file.hpp"
#include "smelt/law_figures.hpp"
#include "smelt/law_file.hpp"
#include "smelt/numbers.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kMostDraws = 1'000'000;
constexpr std::int64_t kMostThreads = 1024;

class LawFitCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "law fit"; }
  [[nodiscard]] std::string summary() const override {
    return "A loss law fitted to training runs, with bootstrap intervals";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt law fit chinchilla-epoch --drop-highest-loss 5 --bootstrap 2000";
  }

  void declare(Flags& flags) override {
    flags.positional("DATA", data_, "Runs: a preset's name, a CSV or JSON Lines file, or -");
    flags.option("--law", "FORM", form_, "chinchilla (default), sparse or loop");
    flags.option("--map", "VAR=COLUMN,...", map_, "Columns of N, F, S, D, C, L, N_once, N_rec, r");
    flags.option("--drop-highest-loss", "K", drop_, "Leave out the K highest losses");
    flags.option("--huber-delta", "X", delta_, "Of the residuals of log loss; default 1e-3");
    flags.heading("Intervals");
    flags.option("--bootstrap", "DRAWS", draws_, "Refits to resampled runs; default 0, none");
    flags.option("--by", "UNIT", unit_, "Drawn as one: row (default), cell or a column");
    flags.option("--level", "SHARE", level_, "Of the intervals; default 90%");
    flags.option("--seed", "N", seed_, "Of the draws; default 0");
    flags.option("--threads", "N", threads_, "Default: one per core; the numbers stay the same");
    flags.heading("Derived");
    budgets_.declare(flags, "at which plans are derived");
    scenario_.declare(flags);
    flags.option("--over", "LAW", reference_, "Derive the gain over this law too");
    flags.option("--save", "FILE", save_, "Write the law to a file that the others take");
    figures_.declare(flags, {"frontier", "reducible", "isoflop", "residuals"});
  }

  Answer run(const Presets& presets) override {
    const LawFitRequest request = read_request(presets);
    const LawFitResult result = evaluate_fit(request);
    const bool fitted = result.fit.status == LawFitStatus::kFitted;
    if (fitted) write_files(request, result);
    return answer(result, fitted ? 0 : 1);
  }

 private:
  [[nodiscard]] LawFitRequest read_request(const Presets& presets) const {
    const LawForm form = law_form_named(form_.value_or("chinchilla"), "--law").form;
    const DataTable table = read_data_argument(data_, presets);
    const LawData all =
        read_law_data(table, form, parse_column_map(map_.value_or(""), form, "--map"));
    validate(all);
    const std::int64_t drop = drop_ ? parse_count(*drop_, "--drop-highest-loss") : 0;
    const std::vector<std::size_t> rows =
        rows_without_highest_loss(all, static_cast<std::size_t>(drop));
    LawFitRequest request;
    request.source = data_;
    request.data = select_rows(all, rows);
    request.unit = unit_.value_or("row");
    request.units = read_units(table, rows, request.data);
    if (delta_) request.options.huber_delta = positive(*delta_, "--huber-delta");
    request.bootstrap = read_bootstrap();
    if (level_) request.level = read_level();
    request.budgets = budgets_.value({});
    request.scenario = scenario_.value({form == LawForm::kSparse ? 0.95 : 0}).front();
    if (reference_) request.reference = presets.law(*reference_);
    return request;
  }

  [[nodiscard]] BootstrapUnits read_units(const DataTable& table,
                                          const std::vector<std::size_t>& rows,
                                          const LawData& data) const {
    if (!unit_ || *unit_ == "row") return units_by_row(data);
    if (*unit_ == "cell") return units_by_cell(data);
    std::vector<std::string> keys;
    try {
      const std::size_t column = table.column(*unit_);
      for (const std::size_t row : rows) keys.push_back(table.rows[row][column]);
    } catch (const InputError& error) {
      throw error.within("--by");
    }
    return units_by_key(keys);
  }

  [[nodiscard]] BootstrapOptions read_bootstrap() const {
    BootstrapOptions options;
    options.draws =
        static_cast<std::size_t>(draws_ ? parse_count(*draws_, "--bootstrap", 0, kMostDraws) : 0);
    if (seed_) options.seed = static_cast<std::uint64_t>(parse_count(*seed_, "--seed"));
    if (threads_) {
      options.threads = static_cast<int>(parse_count(*threads_, "--threads", 1, kMostThreads));
    }
    return options;
  }

  [[nodiscard]] double read_level() const {
    const double level = parse_fraction(*level_, "--level").to_double();
    if (level <= 0 || level >= 1) {
      throw InputError("--level", *level_ + " is out of range", "between 0 and 1, as in 90%");
    }
    return level;
  }

  static double positive(const std::string& text, const char* where) {
    const double value = parse_real(text, where);
    if (value <= 0) throw InputError(where, text + " is too small", "above 0");
    return value;
  }

  void write_files(const LawFitRequest& request, const LawFitResult& result) const {
    const Law& law = result.fit.law;
    if (save_) {
      Law saved = law;
      saved.rmse = result.fit.rmse;
      saved.source = "smelt law fit " + data_;
      WholeFile(*save_, write_law(saved)).commit();
    }
    const LawFigureRange range{law.window.at("budget"), request.scenario};
    figures_.write([&](const std::string& kind) {
      if (kind == "residuals") return residual_figure(law, result.data);
      if (kind == "isoflop") {
        const std::vector<double> ends = {range.budgets.lowest, range.budgets.highest};
        return isoflop_figure(law, request.budgets.empty() ? ends : request.budgets,
                              request.scenario);
      }
      return kind == "reducible" ? reducible_figure({law}, range, result.data)
                                 : frontier_figure({law}, range, result.data);
    });
  }

  std::string data_;
  std::optional<std::string> form_;
  std::optional<std::string> map_;
  std::optional<std::string> drop_;
  std::optional<std::string> delta_;
  std::optional<std::string> draws_;
  std::optional<std::string> unit_;
  std::optional<std::string> level_;
  std::optional<std::string> seed_;
  std::optional<std::string> threads_;
  BudgetsFlag budgets_;
  ScenarioFlags scenario_;
  std::optional<std::string> reference_;
  std::optional<std::string> save_;
  FigureFlags figures_;
};

}  // namespace

std::unique_ptr<Command> make_law_fit_command() { return std::make_unique<LawFitCommand>(); }

}  // namespace smelt::cli
