#pragma once

#include <string>

#include "smelt/bench.hpp"
#include "smelt/compare_report.hpp"
#include "smelt/cost_report.hpp"
#include "smelt/grid_report.hpp"
#include "smelt/infer.hpp"
#include "smelt/law_report.hpp"
#include "smelt/match_report.hpp"
#include "smelt/search_report.hpp"
#include "smelt/sweep.hpp"
#include "smelt/time_report.hpp"

namespace smelt {

/// A result as JSON text: "schema": "smelt/<command>/1", "smelt": {"version"}, then the result's
/// own keys, a newline at the end. Counts are integers, models stand in the form that a model file
/// has. Throws InputError for a model that this form cannot say (see model_json).
std::string to_json(const CostResult& result);
std::string to_json(const CompareResult& result);
std::string to_json(const GridResult& result);
std::string to_json(const TimeResult& result);
std::string to_json(const BenchResult& result);
std::string to_json(const LawPredictResult& result);
std::string to_json(const LawPlanResult& result);
std::string to_json(const LawGainResult& result);
std::string to_json(const LawFitResult& result);
std::string to_json(const MatchReport& report);
std::string to_json(const InferReport& report);
std::string to_json(const SweepResult& result);
std::string to_json(const SearchReport& report);

}  // namespace smelt
