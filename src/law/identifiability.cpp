#include "law/identifiability.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace smelt::law {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A column counts as constant when its values differ by less than this, in the logarithm.
constexpr double kConstantSpread = 1e-6;
/// Columns count as tied when less than this share of one's variance is its own.
constexpr double kOwnVariance = 2e-3;
/// A term counts as gone when its share of the loss is below this in every run.
constexpr double kVanishingShare = 1e-3;
constexpr double kSmallestExponent = 0.01;
constexpr double kLargestExponent = 3;
/// Unit columns this close to dependent lose seven of sixteen digits.
constexpr double kLargestCondition = 1e7;

/// A column whose variation the form needs, in the logarithm.
struct Feature {
  std::string name;
  VectorXd values;
};

VectorXd logs(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size())).array().log();
}

std::vector<Feature> features_of(const LawData& data) {
  std::vector<Feature> features;
  if (data.form == LawForm::kLoop) {
    std::vector<double> stored;
    for (std::size_t i = 0; i < data.size(); ++i) {
      stored.push_back(data.variables[0][i] + data.variables[1][i]);
    }
    features.push_back({"once_params + recurrent_params", logs(stored)});
    features.push_back({"visits", logs(data.variables[2])});
  } else {
    features.push_back({law_form_info(data.form).variables[0], logs(data.variables[0])});
  }
  if (data.form == LawForm::kSparse) {
    std::vector<double> dense = data.variables[1];
    for (double& value : dense) value = 1 - value;
    features.push_back({"sparsity", logs(dense)});
  }
  features.push_back({"tokens", logs(data.variables.back())});
  return features;
}

std::vector<LawObstacle> constant_columns(const std::vector<Feature>& features) {
  std::vector<LawObstacle> obstacles;
  for (const Feature& feature : features) {
    if (feature.values.maxCoeff() - feature.values.minCoeff() > kConstantSpread) continue;
    obstacles.push_back({fmt::format("{} is the same in every run", feature.name),
                         fmt::format("add runs at other values of {}", feature.name)});
  }
  return obstacles;
}

/// Regresses each column on the others: what is left of its variance is its own.
std::vector<LawObstacle> tied_columns(const std::vector<Feature>& features) {
  const Index rows = features.front().values.size();
  for (auto last = features.rbegin(); last != features.rend(); ++last) {
    MatrixXd others = MatrixXd::Ones(rows, static_cast<Index>(features.size()));
    std::string names;
    Index column = 1;
    for (const Feature& feature : features) {
      if (feature.name == last->name) continue;
      others.col(column++) = feature.values;
      names += (names.empty() ? "" : " and ") + feature.name;
    }
    const VectorXd centred = last->values.array() - last->values.mean();
    const VectorXd own = centred - others * others.colPivHouseholderQr().solve(centred);
    if (own.squaredNorm() > kOwnVariance * centred.squaredNorm()) continue;
    return {{fmt::format("{} is tied to {} (a power of it in every run)", last->name, names),
             fmt::format("add runs that change {} alone", last->name)}};
  }
  return {};
}

/// The largest share that a term has in the predicted loss over the runs.
struct TermShares {
  double floor = 0;
  double capacity = 0;
  double data = 0;
};

TermShares largest_shares(const LawData& data, const Law& law) {
  TermShares shares;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::vector<double> row = data.row(i);
    const double predicted = smelt::loss(law, row);
    const double data_term =
        law[LawRole::kDataScale] * std::pow(row.back(), -law[LawRole::kDataExponent]);
    shares.floor = std::max(shares.floor, law[LawRole::kFloor] / predicted);
    shares.data = std::max(shares.data, data_term / predicted);
    shares.capacity = std::max(shares.capacity, 1 - (law[LawRole::kFloor] + data_term) / predicted);
  }
  return shares;
}

std::vector<LawObstacle> vanishing_terms(const LawData& data, const Law& law) {
  std::vector<LawObstacle> obstacles;
  const TermShares shares = largest_shares(data, law);
  if (!(shares.floor >= kVanishingShare)) {
    obstacles.push_back({"the floor E runs to 0: no run comes near it",
                         "add runs at larger budgets, where the loss flattens"});
  }
  if (!(shares.capacity >= kVanishingShare)) {
    obstacles.push_back({"the capacity term runs to 0: model size does not move the loss",
                         "add runs of smaller models, or over a wider range of sizes"});
  }
  if (!(shares.data >= kVanishingShare)) {
    obstacles.push_back({"the data term runs to 0: tokens do not move the loss",
                         "add shorter runs, or a wider range of tokens"});
  }
  return obstacles;
}

std::vector<LawObstacle> runaway_exponents(const Law& law) {
  std::vector<LawObstacle> obstacles;
  const std::vector<std::string>& names = law_form_info(law.form).coefficients;
  for (const LawRole role : {LawRole::kCapacityExponent, LawRole::kDataExponent}) {
    if (law[role] >= kSmallestExponent && law[role] <= kLargestExponent) continue;
    obstacles.push_back({fmt::format("the exponent {} runs to the edge, {:.3g}",
                                     names[static_cast<std::size_t>(role)], law[role]),
                         "add runs over a wider range of that term's variable"});
  }
  return obstacles;
}

/// log of tokens per dense-equivalent parameter, F / 6.
double log_split(double flops_per_token, double tokens) {
  return std::log(6 * tokens / flops_per_token);
}

/// Whether, at every budget that was run, the law's optimal split lies on one and the same side of
/// all splits that were run: then the optimum is an extrapolation, however good the fit.
std::vector<LawObstacle> optimum_at_edge(const LawData& data, const Law& law) {
  if (data.form == LawForm::kLoop) return {};  // its optimum depends on a recurrent share
  double lowest = std::numeric_limits<double>::max();
  double highest = std::numeric_limits<double>::lowest();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::vector<double> row = data.row(i);
    const double split = log_split(law_flops_per_token(data.form, row), row.back());
    lowest = std::min(lowest, split);
    highest = std::max(highest, split);
  }
  bool all_below = true;
  bool all_above = true;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::vector<double> row = data.row(i);
    const double budget = law_flops_per_token(data.form, row) * row.back();
    const LawScenario scenario{.sparsity = data.form == LawForm::kSparse ? row[1] : 0};
    const LawPlan plan = plan_budget(law, budget, scenario);
    const double split = log_split(plan.flops_per_token, plan.tokens);
    all_below = all_below && split < lowest;
    all_above = all_above && split > highest;
  }
  if (!all_below && !all_above) return {};
  const char* side = all_below ? "fewer" : "more";
  return {{fmt::format("the loss has its minimum at the edge of the runs: the optimal split has "
                       "{} tokens per parameter than any run",
                       side),
           all_below ? "add larger models on fewer tokens" : "add smaller models on more tokens"}};
}

std::vector<LawObstacle> disagreeing_starts(const LawData& data,
                                            const std::vector<RefinedStart>& refined) {
  // Objectives that differ by less than one run's share cannot be told apart by the data.
  const double best = refined.front().summary.objective;
  const double margin = best * 0.1 / static_cast<double>(data.size());
  for (const RefinedStart& other : refined) {
    if (other.summary.objective > best + margin) continue;
    if (same_optimum(refined.front().coefficients, other.coefficients)) continue;
    const auto floor = static_cast<std::size_t>(LawRole::kFloor);
    return {{fmt::format("starts disagree: E = {:.4g} and E = {:.4g} fit equally well",
                         refined.front().coefficients[floor], other.coefficients[floor]),
             "add runs where the two laws differ: a wider range of sizes and tokens"}};
  }
  return {};
}

void append(std::vector<LawObstacle>& list, const std::vector<LawObstacle>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

std::vector<LawObstacle> data_obstacles(const LawData& data) {
  const std::size_t needed = law_form_info(data.form).coefficients.size() + 1;
  if (data.size() < needed) {
    return {{fmt::format("{} runs for {} coefficients", data.size(), needed - 1),
             fmt::format("at least {} runs", needed)}};
  }
  const std::vector<Feature> features = features_of(data);
  std::vector<LawObstacle> obstacles = constant_columns(features);
  if (obstacles.empty()) obstacles = tied_columns(features);
  return obstacles;
}

bool same_optimum(const LawCoefficients& one, const LawCoefficients& other) {
  constexpr double kCloseness = 1e-2;
  for (const LawRole role : {LawRole::kFloor, LawRole::kCapacityExponent, LawRole::kDataExponent,
                             LawRole::kExtraExponent}) {
    const auto i = static_cast<std::size_t>(role);
    if (!(std::abs(one[i] - other[i]) <= kCloseness * std::max(std::abs(one[i]), 0.1))) {
      return false;
    }
  }
  return true;
}

std::vector<LawObstacle> outcome_obstacles(const LawData& data,
                                           const std::vector<RefinedStart>& refined) {
  const RefinedStart& best = refined.front();
  Law law;
  law.form = data.form;
  law.coefficients = best.coefficients;
  if (!is_complete(law)) {
    return {{"the coefficients leave all bounds", "add runs over a wider range"}};
  }
  std::vector<LawObstacle> obstacles = vanishing_terms(data, law);
  append(obstacles, runaway_exponents(law));
  if (!obstacles.empty()) return obstacles;
  if (best.summary.condition > kLargestCondition) {
    return {{fmt::format("the coefficients cannot be told apart (condition {:.1e})",
                         best.summary.condition),
             "add runs over a wider range of sizes and tokens"}};
  }
  append(obstacles, disagreeing_starts(data, refined));
  append(obstacles, optimum_at_edge(data, law));
  return obstacles;
}

}  // namespace smelt::law
