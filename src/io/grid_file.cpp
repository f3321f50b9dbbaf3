#include "smelt/grid_file.hpp"

#include <cstddef>
#include <utility>

#include "io/named_file.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/presets.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kLargest = 9'000'000'000'000'000'000;

/// The digits of a number as they stand in the file; empty where absent.
std::string printed_digits(ObjectReader& object, const char* key) {
  if (!object.number(key)) return {};
  return *object.value(key)->if_number();
}

std::optional<std::string> optional_digits(ObjectReader& object, const char* key) {
  std::string digits = printed_digits(object, key);
  if (digits.empty()) return std::nullopt;
  return digits;
}

std::optional<PublishedFigures> read_published(ObjectReader& tables, const char* key) {
  std::optional<ObjectReader> table = tables.object(key);
  if (!table) return std::nullopt;
  table->require({"hidden_size", "num_experts", "active_params_billion", "total_params_billion",
                  "sparsity_percent"});
  PublishedFigures figures;
  figures.hidden_size = table->count("hidden_size", 1, kLargest).value_or(0);
  figures.num_experts = table->count("num_experts", 1, kLargest).value_or(0);
  figures.active_params_billion = printed_digits(*table, "active_params_billion");
  figures.total_params_billion = printed_digits(*table, "total_params_billion");
  figures.sparsity_percent = printed_digits(*table, "sparsity_percent");
  figures.flops_ratio = optional_digits(*table, "flops_ratio");
  figures.kv_ratio = optional_digits(*table, "kv_ratio");
  table->reject_unknown_keys();
  return figures;
}

std::optional<SparsityControl> read_control(ObjectReader& row) {
  std::optional<ObjectReader> control = row.object("control");
  if (!control) return std::nullopt;
  control->require({"training_flops_per_token", "non_embedding_params"});
  const auto flops = control->count("training_flops_per_token", 1, kLargest);
  const auto params = control->count("non_embedding_params", 1, kLargest);
  control->reject_unknown_keys();
  if (!flops || !params) return std::nullopt;
  return SparsityControl{*flops, *params};
}

GridRow read_row(ObjectReader row) {
  row.require({"scale", "level", "baseline"});
  GridRow result;
  result.scale = row.string("scale").value_or("");
  result.level = row.string("level").value_or("");
  result.baseline = row.string("baseline").value_or("");
  result.matched = row.string("matched");
  result.control = read_control(row);
  if (std::optional<ObjectReader> published = row.object("published")) {
    result.published_baseline = read_published(*published, "baseline");
    result.published_matched = read_published(*published, "matched");
    published->reject_unknown_keys();
  }
  row.reject_unknown_keys();
  return result;
}

std::optional<GridMatch> read_match(ObjectReader& file) {
  std::optional<ObjectReader> match = file.object("match");
  if (!match) return std::nullopt;
  match->require({"loop", "rules"});
  GridMatch result{match->string("loop").value_or(""), match->string("rules").value_or("")};
  match->reject_unknown_keys();
  return result;
}

std::vector<GridRow> read_rows(ObjectReader& file, Mistakes& mistakes) {
  file.require({"rows"});
  std::vector<GridRow> rows;
  const JsonValue::Array* items = file.array("rows");
  if (items == nullptr) return rows;
  if (items->empty()) file.fault("rows", "is an empty list", "at least one row");
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::string where = json_pointer(file.pointer("rows"), std::to_string(i));
    rows.push_back(read_row(ObjectReader((*items)[i], where, mistakes)));
  }
  return rows;
}

/// `name` as it is found from the folder of the file that holds it.
void resolve(std::string& name, const std::filesystem::path& folder) {
  if (is_path(name)) name = (folder / name).string();
}

}  // namespace

Grid read_grid(const JsonValue& json) {
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  Grid grid;
  grid.name = file.string("name").value_or("");
  grid.description = file.string("description").value_or("");
  grid.source = file.string("source").value_or("");
  grid.match = read_match(file);
  grid.rows = read_rows(file, mistakes);
  file.reject_unknown_keys();
  mistakes.throw_if_any();
  return grid;
}

Grid read_grid_file(const std::filesystem::path& path) {
  Grid grid = read_named_file(path, read_grid);
  for (GridRow& row : grid.rows) {
    resolve(row.baseline, path.parent_path());
    if (row.matched) resolve(*row.matched, path.parent_path());
  }
  if (grid.match) resolve(grid.match->rules, path.parent_path());
  return grid;
}

}  // namespace smelt
