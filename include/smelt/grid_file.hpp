#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "smelt/cost.hpp"
#include "smelt/json_value.hpp"

namespace smelt {

/// One row of a publication's table; the decimals keep the digits as printed ("0.100").
struct PublishedFigures {
  std::int64_t hidden_size = 0;
  std::int64_t num_experts = 0;
  std::string active_params_billion;
  std::string total_params_billion;
  std::string sparsity_percent;
  std::optional<std::string> flops_ratio;  ///< over the Baseline's
  std::optional<std::string> kv_ratio;     ///< over the Baseline's
};

/// A Baseline and the model matched to it. Models are named as on the command line.
struct GridRow {
  std::string scale;
  std::string level;
  std::string baseline;
  std::optional<std::string> matched;      ///< absent: to be solved for, or not known
  std::optional<SparsityControl> control;  ///< of the matched model; absent: the Baseline's
  std::optional<PublishedFigures> published_baseline;
  std::optional<PublishedFigures> published_matched;
};

/// How the rows that name no matched model are solved for.
struct GridMatch {
  std::string loop;   ///< as parse_loop reads it
  std::string rules;  ///< a preset or a path
};

/// A ladder of Baselines and their matched models.
struct Grid {
  std::string name;
  std::string description;
  std::string source;
  std::optional<GridMatch> match;
  std::vector<GridRow> rows;
};

/// Throws InputError with every mistake of the file, each at its JSON pointer.
Grid read_grid(const JsonValue& json);

/// The grid file at `path`; errors name it. Relative paths in it start from its folder.
Grid read_grid_file(const std::filesystem::path& path);

}  // namespace smelt
