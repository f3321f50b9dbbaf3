#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/model_flags.hpp"
#include "smelt/match_report.hpp"

namespace smelt::cli {
namespace {

constexpr const char* kPaperGrid = "paper";

PublishedRow published_row(const GridRow& row) {
  const PublishedFigures& figures = *row.published_matched;
  return {fmt::format("{} {}", row.scale, row.level),
          row.baseline,
          figures.hidden_size,
          figures.num_experts,
          figures.active_params_billion,
          figures.total_params_billion,
          figures.sparsity_percent,
          figures.flops_ratio.value_or(""),
          figures.kv_ratio.value_or("")};
}

/// Solves for the design of a row that names none, and adds what it finds to the request.
void solve_row(const Model& baseline, const GridMatch& how, const Presets& presets,
               GridRequest& request) {
  MatchProblem problem;
  problem.baseline = baseline;
  problem.num_layers = baseline.num_layers();
  problem.loop = parse_loop(how.loop, problem.num_layers, "/match/loop");
  problem.rules = presets.rules(how.rules);
  problem.convention = request.convention;
  problem.find_relaxations = false;
  const MatchReport report = report_match(problem, solve(problem), std::nullopt);
  if (report.feasible()) {
    request.cells.push_back({baseline.name, report.candidates.front().model, std::nullopt});
  } else {
    request.unmatched.push_back({baseline.name, problem.rules.name,
                                 report.nearest.empty() ? CompareRow() : report.nearest.front()});
  }
}

/// A row names its matched model, stands as published, or is solved for.
GridRequest grid_request(const Grid& grid, const Presets& presets, const AttendedKeysFlags& keys,
                         const Convention& convention) {
  GridRequest request;
  request.name = grid.name;
  request.description = grid.description;
  request.source = grid.source;
  request.convention = convention;
  for (const GridRow& row : grid.rows) {
    const Model baseline = read_model_argument(row.baseline, presets, keys);
    request.baselines.push_back(baseline);
    if (row.matched) {
      std::optional<Control> control;
      if (row.control) control = figures_control(*row.control);
      request.cells.push_back(
          {baseline.name, read_model_argument(*row.matched, presets, keys), control});
    } else if (row.published_matched) {
      request.published.push_back(published_row(row));
    } else if (grid.match) {
      solve_row(baseline, *grid.match, presets, request);
    }
  }
  return request;
}

class GridCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "grid"; }
  [[nodiscard]] std::string summary() const override {
    return "A ladder of Baselines and their matched models";
  }
  [[nodiscard]] std::string example() const override { return "smelt grid --format markdown"; }

  void declare(Flags& flags) override {
    flags.optional_positional("FILE", file_, "Grid file or preset (default: paper)");
    keys_.declare(flags);
    convention_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    const Grid grid = presets.grid(file_.value_or(kPaperGrid));
    GridResult result = evaluate_grid(grid_request(grid, presets, keys_, convention_.value()));
    const int status = result.unmatched.empty() ? 0 : 1;
    return answer(std::move(result), status);
  }

 private:
  std::optional<std::string> file_;
  AttendedKeysFlags keys_;
  ConventionFlag convention_;
};

}  // namespace

std::unique_ptr<Command> make_grid_command() { return std::make_unique<GridCommand>(); }

}  // namespace smelt::cli
