#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smelt/model.hpp"

namespace smelt {

/// The three budgets of a looped design over those of its own baseline. An absent one is not known,
/// or neither side has any.
struct BudgetRatios {
  std::optional<double> flops;   ///< training, matrix weights and score products
  std::optional<double> params;  ///< matrix weights without embeddings
  std::optional<double> kv;      ///< cache elements per token
};

/// What a comparison table says about one study, budget by budget: "yes", "no", "partly" or "".
struct CheckMarks {
  std::string flops;
  std::string params;
  std::string kv;
};

/// A published looped design beside its own baseline. Either is absent where its shape is unknown.
struct AuditPair {
  std::string study;
  std::string arxiv;
  std::string pair;  ///< which of the study's comparisons; "" for its main one
  std::optional<Model> looped;
  std::optional<Model> baseline;
  CheckMarks marks;
};

/// A ratio beside its mark.
struct AuditedBudget {
  std::optional<double> ratio;
  std::string mark;
  bool contradicts = false;
};

struct AuditRow {
  std::string study;
  std::string arxiv;
  std::string pair;
  AuditedBudget flops;
  AuditedBudget params;
  AuditedBudget kv;
};

struct AuditResult {
  std::vector<AuditRow> rows;
};

/// A "yes" holds within this of a ratio of 1, a "no" beyond it. "partly" holds either way.
inline constexpr double kEqualBudget = 0.05;

BudgetRatios budget_ratios(const Model& looped, const Model& baseline);

AuditResult audit(const std::vector<AuditPair>& pairs);

}  // namespace smelt
