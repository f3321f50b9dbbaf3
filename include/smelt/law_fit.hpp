#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/law.hpp"
#include "smelt/termination.hpp"

namespace smelt {

/// Training runs as a law sees them: one row per run.
struct LawData {
  LawForm form = LawForm::kChinchilla;
  /// variables[v][i] is variable v (in the form's order) of run i.
  std::vector<std::vector<double>> variables;
  std::vector<double> loss;  ///< final loss of each run, nats per token

  [[nodiscard]] std::size_t size() const { return loss.size(); }
  /// Run i's variables in the form's order.
  [[nodiscard]] std::vector<double> row(std::size_t i) const;
};

/// Throws InputError naming the first column and row (counted from 1) outside its domain.
void validate(const LawData& data);

/// The rows of all runs but the `count` highest losses, in order.
std::vector<std::size_t> rows_without_highest_loss(const LawData& data, std::size_t count);
/// The runs at `rows`.
LawData select_rows(const LawData& data, const std::vector<std::size_t>& rows);
/// Both: the runs without the `count` highest losses.
LawData drop_highest_loss(const LawData& data, std::size_t count);

struct LawFitOptions {
  /// Huber's threshold on the residual log L_predicted - log L; the objective sums rho over runs,
  /// rho(x) = x^2 / 2 up to delta and delta (|x| - delta / 2) beyond.
  double huber_delta = 1e-3;
  /// Starts that are refined, the best of a grid over the exponents.
  int starts = 8;
};

enum class LawFitStatus {
  kFitted,
  kNotIdentifiable,  ///< the runs do not determine the law
  kNotConverged,     ///< no start reached a minimum
};

/// "fitted", "not identifiable", "not converged".
std::string_view law_fit_status_name(LawFitStatus status);

/// Why the runs do not determine a law.
struct LawObstacle {
  std::string what;
  std::string remedy;  ///< what would settle it
};

struct LawFit {
  LawFitStatus status = LawFitStatus::kNotConverged;
  std::vector<LawObstacle> obstacles;  ///< empty when fitted
  /// Named "fit", with the runs' ranges as its window. Meaningless unless fitted.
  Law law;
  double objective = 0;  ///< sum of Huber's rho over the runs
  double rmse = 0;       ///< root mean square of L_predicted - L, nats
  Termination termination = Termination::kBadStart;
  /// Largest |d objective / d p| over p = log E, log A', log B' and the exponents, A' and B' being
  /// the scales at the geometric mean of the runs' capacity and tokens.
  double gradient_norm = 0;
  /// Of the weighted Jacobian by the same p, columns scaled to length 1.
  double condition = 0;
  std::size_t observations = 0;
  int starts = 0;           ///< refined
  int starts_agreeing = 0;  ///< that ended at the optimum returned
};

/// Fits the form of `data` from scratch. Throws InputError as validate does; everything else,
/// including data that determine no law, is a result.
LawFit fit_law(const LawData& data, const LawFitOptions& options = {});

/// Which runs are drawn together in a bootstrap.
struct BootstrapUnits {
  std::vector<std::size_t> unit_of_row;  ///< 0, ..., count - 1
  std::size_t count = 0;
};

/// Every run by itself.
BootstrapUnits units_by_row(const LawData& data);
/// Runs of one model (equal in every variable but the tokens) together.
BootstrapUnits units_by_cell(const LawData& data);
/// Runs of equal key together, keys numbered in order of appearance.
BootstrapUnits units_by_key(const std::vector<std::string>& keys);

struct BootstrapOptions {
  std::size_t draws = 2000;
  std::uint64_t seed = 0;
  int threads = 0;  ///< 0: one per core; the result does not depend on it
};

struct Bootstrap {
  /// Refits that reached a minimum, in the order of their draws.
  std::vector<LawCoefficients> coefficients;
  std::size_t failed = 0;  ///< draws without one
};

/// Refits `fit`'s law to units drawn with replacement. Draw i uses random stream (seed, i) and
/// starts from fit.law.
Bootstrap bootstrap_law(const LawData& data, const LawFit& fit, const BootstrapUnits& units,
                        const LawFitOptions& options, const BootstrapOptions& bootstrap);

struct Interval {
  double lowest = 0;
  double highest = 0;
};

/// The central `level` (0.9 for 90 %) of the values, quantiles interpolated linearly between order
/// statistics. `values` must not be empty (an assertion).
Interval percentile_interval(std::vector<double> values, double level);

}  // namespace smelt
