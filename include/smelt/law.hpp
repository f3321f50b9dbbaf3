#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smelt {

/// The algebraic forms of a loss law. All are a floor, a capacity term and a data term:
/// L = E + A X^-alpha + B D^-beta, in nats per token, and differ in the capacity X.
enum class LawForm {
  kChinchilla,  ///< L(N, D) = E + A N^-alpha + B D^-beta
  kSparse,      ///< L(F, S, D) = E + A (1-S)^b F^-a + K D^-c
  kLoop,        ///< L = E + A (N_once + r^phi N_rec)^-alpha + B D^-beta
};

/// What a coefficient does, the same in every form; the index of Law::coefficients.
enum class LawRole {
  kFloor,             ///< E, nats per token
  kCapacityScale,     ///< A
  kDataScale,         ///< B or K
  kCapacityExponent,  ///< alpha or a
  kDataExponent,      ///< beta or c
  kExtraExponent,     ///< b (kSparse) or phi (kLoop); unused in kChinchilla
};
inline constexpr std::size_t kNumLawRoles = 6;
using LawCoefficients = std::array<double, kNumLawRoles>;

/// Names that a form goes by, in files and results.
struct LawFormInfo {
  LawForm form;
  std::string name;     ///< "chinchilla", "sparse", "loop"
  std::string formula;  ///< for people
  /// Coefficient names in the order of LawRole: five, or six with an extra exponent.
  std::vector<std::string> coefficients;
  /// Variables in the order that loss() takes them; tokens come last.
  std::vector<std::string> variables;
};

/// chinchilla, sparse, loop.
const std::vector<LawFormInfo>& law_forms();
const LawFormInfo& law_form_info(LawForm form);
/// Throws InputError naming the known forms.
const LawFormInfo& law_form_named(std::string_view name, std::string_view where);

/// A closed range of a variable.
struct LawRange {
  double lowest = 0;
  double highest = 0;

  /// Whether value lies in the range, with a margin of 1e-9 of it for round-off.
  [[nodiscard]] bool contains(double value) const;
};

/// A loss law with what is needed to use it rightly.
struct Law {
  std::string name;
  LawForm form = LawForm::kChinchilla;
  /// By LawRole. NaN where the source states no value (see is_complete).
  LawCoefficients coefficients{};
  std::string description;
  std::string source;
  std::optional<double> rmse;  ///< of the fit, nats per token, where the source states it
  /// What each variable counts in the source: {"params", "all parameters, embeddings in"}.
  std::map<std::string, std::string> conventions;
  /// Where the runs lay that the law was fitted to, by variable, or "budget" for training FLOPs.
  /// Whatever lies outside is an extrapolation.
  std::map<std::string, LawRange> window;

  [[nodiscard]] double operator[](LawRole role) const {
    return coefficients[static_cast<std::size_t>(role)];
  }
  double& operator[](LawRole role) { return coefficients[static_cast<std::size_t>(role)]; }
};

/// Whether the source states every coefficient of the law's form.
bool is_complete(const Law& law);

/// The capacity X of the power X^-alpha at `variables` (in the form's order) with the factor
/// (1-S)^b left out: N, F, or N_once + r^phi N_rec.
double law_capacity(const Law& law, const std::vector<double>& variables);

/// L at `variables` (in the form's order), nats per token. Throws InputError where the law is
/// incomplete or a variable leaves its domain (counts above 0, sparsity in [0, 1), visits from 1).
double loss(const Law& law, const std::vector<double>& variables);

/// Whether any of `variables`, or the budget they imply, lies outside the law's window.
bool is_extrapolated(const Law& law, const std::vector<double>& variables);

/// Training FLOPs per token that the capacity variables stand for: F itself, 6 N, or
/// 6 (N_once + r N_rec).
double law_flops_per_token(LawForm form, const std::vector<double>& variables);

/// The design choices that a split of the budget leaves fixed.
struct LawScenario {
  double sparsity = 0;         ///< S, of kSparse
  double visits = 1;           ///< r, of kLoop
  double recurrent_share = 0;  ///< N_rec / (N_once + N_rec), of kLoop
};

/// The variables of the form, in its order, at the split (F, D).
std::vector<double> split_variables(LawForm form, const LawScenario& scenario,
                                    double flops_per_token, double tokens);

/// Tokens per dense-equivalent parameter F / 6.
double dense_equivalent_tokens(double flops_per_token, double tokens);

/// The optimum of a budget C = F D (training FLOPs) under L(F, D) = E + G F^-a + K D^-c, to which
/// every form reduces once the scenario is fixed.
///
/// F* = k C^(c/(a+c)) with k = (a G / (c K))^(1/(a+c)), D* = C / F*, and there
/// L* = E + M C^-gamma with gamma = a c / (a + c) and M = G k^-a + K k^c.
struct Frontier {
  double floor = 0;              ///< E, nats per token
  double capacity_scale = 0;     ///< G, by F in FLOPs per token
  double data_scale = 0;         ///< K
  double capacity_exponent = 0;  ///< a
  double data_exponent = 0;      ///< c

  /// The exponent of the reducible loss in compute.
  [[nodiscard]] double gamma() const;
  /// F*, training FLOPs per token.
  [[nodiscard]] double optimal_flops_per_token(double budget) const;
  /// L*, nats per token.
  [[nodiscard]] double optimal_loss(double budget) const;
  /// L(F, C / F), nats per token.
  [[nodiscard]] double loss_at(double budget, double flops_per_token) const;
  /// The budget whose optimum is `target_loss`; none where that is not above the floor.
  [[nodiscard]] std::optional<double> budget_for(double target_loss) const;
};

/// Whether both terms fall (scales and exponents above 0), so that a budget has an optimal split.
bool has_frontier(const Law& law);

/// Throws InputError where the law is incomplete, its terms do not fall, or the scenario leaves its
/// domain.
Frontier frontier_of(const Law& law, const LawScenario& scenario);

/// The compute-optimal split of a budget under one law.
struct LawPlan {
  std::string law;
  double budget = 0;  ///< C, training FLOPs
  LawScenario scenario;
  double flops_per_token = 0;  ///< F*, training FLOPs per token
  double tokens = 0;           ///< D* = C / F*
  /// D* per dense-equivalent parameter F* / 6.
  double tokens_per_param = 0;
  double loss = 0;  ///< nats per token
  bool extrapolated = false;
};

LawPlan plan_budget(const Law& law, double budget, const LawScenario& scenario);

/// The compute that one architecture saves over another at equal loss.
struct LawGain {
  double budget = 0;  ///< C, training FLOPs of the target
  LawScenario scenario;
  /// 1 - C / C_ref, C_ref the reference's smallest budget that reaches the target's optimal loss
  /// at C; negative where the target needs more. None where the reference never reaches it.
  std::optional<double> gain;
  /// C or C_ref lies outside the window of its law.
  bool extrapolated = false;
};

LawGain compute_gain(const Law& target, const Law& reference, double budget,
                     const LawScenario& scenario);

/// The tokens at which the data terms of two laws are equal; none where their exponents are equal.
std::optional<double> data_term_crossover(const Law& one, const Law& other);

}  // namespace smelt
