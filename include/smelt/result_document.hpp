#pragma once

#include <string>
#include <vector>

#include "smelt/bench.hpp"
#include "smelt/compare_report.hpp"
#include "smelt/cost_report.hpp"
#include "smelt/grid_report.hpp"
#include "smelt/infer.hpp"
#include "smelt/law_report.hpp"
#include "smelt/match_report.hpp"
#include "smelt/search_report.hpp"
#include "smelt/sweep.hpp"
#include "smelt/table.hpp"
#include "smelt/time_report.hpp"

namespace smelt {

/// A model in a few lines of words: sizes, loop, heads, experts, attended keys.
std::vector<std::string> model_summary(const Model& model);

/// A loop as a flag writes it, layers counted from 1: "4-9x2"; "none" for a plain stack.
std::string loop_text(const Model& model);

Document to_document(const CostResult& result);
Document to_document(const CompareResult& result);
Document to_document(const GridResult& result);
Document to_document(const TimeResult& result);
Document to_document(const BenchResult& result);
Document to_document(const LawPredictResult& result);
Document to_document(const LawPlanResult& result);
Document to_document(const LawGainResult& result);
Document to_document(const LawFitResult& result);
Document to_document(const MatchReport& report);
Document to_document(const InferReport& report);
Document to_document(const SweepResult& result);
Document to_document(const SearchReport& report);

}  // namespace smelt
