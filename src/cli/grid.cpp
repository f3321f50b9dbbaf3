#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/counting_flags.hpp"
#include "cli/model_flags.hpp"

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

/// The models of a grid that names all it matches; a row that names none stands as published.
GridRequest grid_request(const Grid& grid, const Presets& presets, const AttendedKeysFlags& keys) {
  GridRequest request;
  request.name = grid.name;
  request.description = grid.description;
  request.source = grid.source;
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
    }
  }
  return request;
}

class GridCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "grid"; }
  [[nodiscard]] std::string summary() const override {
    return "The paper's configuration tables, with deviations";
  }
  [[nodiscard]] std::string example() const override { return "smelt grid --format markdown"; }

  void declare(Flags& flags) override {
    keys_.declare(flags);
    convention_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    GridRequest request = grid_request(presets.grid(kPaperGrid), presets, keys_);
    request.convention = convention_.value();
    return answer(evaluate_grid(request));
  }

 private:
  AttendedKeysFlags keys_;
  ConventionFlag convention_;
};

}  // namespace

std::unique_ptr<Command> make_grid_command() { return std::make_unique<GridCommand>(); }

}  // namespace smelt::cli
