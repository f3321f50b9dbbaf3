#include "smelt/printed_table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/printed_rows.hpp"
#include "smelt/data_table.hpp"
#include "smelt/json_value.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/text_file.hpp"

namespace smelt {
namespace {

std::optional<std::string> scalar_text(const JsonValue& value) {
  if (const std::string* number = value.if_number()) return *number;
  if (const std::string* text = value.if_string()) return *text;
  return std::nullopt;
}

/// The members of an object that are numbers or strings; the others are mistakes.
RawRow raw_row(const JsonValue& object, const std::string& where, Mistakes& mistakes) {
  RawRow row{where, "/", {}, {}};
  if (object.if_object() == nullptr) {
    mistakes.add(where, fmt::format("is {}", object.kind()), "an object");
    return row;
  }
  for (const auto& [key, value] : *object.if_object()) {
    if (value.is_null()) continue;
    if (const auto text = scalar_text(value)) {
      row.cells.emplace_back(key, *text);
    } else {
      row.faulty.push_back(key);
      mistakes.add(json_pointer(where, key), fmt::format("is {}", value.kind()),
                   "a number or a string");
    }
  }
  return row;
}

PrintedTable own_table(const JsonValue& json, Mistakes& mistakes) {
  ObjectReader file(json, {}, mistakes);
  file.require({"rows"});
  PrintedTable table;
  table.source = file.string("source").value_or("");
  std::map<std::string, std::size_t> digits;
  if (std::optional<ObjectReader> object = file.object("digits")) {
    for (const auto& [key, value] : *json.find("digits")->if_object()) {
      digits[key] = static_cast<std::size_t>(object->count(key, 0, 18).value_or(0));
    }
  }
  std::vector<RawRow> rows;
  if (const JsonValue::Array* items = file.array("rows")) {
    if (items->empty()) file.fault("rows", "is an empty list", "at least one row");
    for (std::size_t i = 0; i < items->size(); ++i) {
      rows.push_back(
          raw_row((*items)[i], json_pointer(file.pointer("rows"), std::to_string(i)), mistakes));
      for (auto& [key, text] : rows.back().cells) {
        if (const auto known = digits.find(key); known != digits.end()) {
          text = with_decimals(text, known->second);
        }
      }
    }
  }
  file.reject_unknown_keys();
  table.rows = printed_rows(rows, mistakes);
  return table;
}

/// One of the two arrays of a publication's tables.
struct Part {
  const char* key;
  std::vector<RawRow> rows;
  std::vector<std::string> scales;  ///< of each row
};

const std::map<std::string, std::string, std::less<>> kPublishedKeys = {
    {"layers", "num_hidden_layers"},
    {"total_experts", "num_experts"},
    {"active_experts", "num_experts_per_tok"}};

std::string loop_text(ObjectReader& row) {
  std::optional<ObjectReader> loop = row.object("loop");
  if (!loop) return "none";
  loop->require({"first_layer_1based", "last_layer_1based", "visits"});
  const auto first = loop->count("first_layer_1based", 1, 100'000);
  const auto last = loop->count("last_layer_1based", 1, 100'000);
  const auto visits = loop->count("visits", 1, 1'000'000);
  loop->reject_unknown_keys();
  return first && last && visits ? fmt::format("{}-{}x{}", *first, *last, *visits) : "none";
}

void read_published_row(Part& part, const JsonValue& json, const std::string& where,
                        Mistakes& mistakes) {
  ObjectReader object(json, where, mistakes);
  object.require({"scale", "hidden_size", "layers", "total_experts", "active_experts"});
  const std::string scale = object.string("scale").value_or("");
  RawRow row{where, "/", {}, {}};
  if (json.if_object() == nullptr) return;
  for (const auto& [key, value] : *json.if_object()) {
    if (key == "scale" || key == "loop") continue;
    const auto renamed = kPublishedKeys.find(key);
    const auto text = scalar_text(value);
    if (text)
      row.cells.emplace_back(renamed == kPublishedKeys.end() ? key : renamed->second, *text);
    object.value(key);
  }
  const std::string* const experts = row.find("num_experts");
  const std::string* const hidden = row.find("hidden_size");
  row.cells.emplace_back(
      "name", fmt::format("{} {}/{}", part.key, scale, experts != nullptr ? *experts : ""));
  row.cells.emplace_back(
      "family", fmt::format("{} {}/H{}", part.key, scale, hidden != nullptr ? *hidden : ""));
  row.cells.emplace_back("loop", loop_text(object));
  object.reject_unknown_keys();
  part.rows.push_back(std::move(row));
  part.scales.push_back(scale);
}

Part read_part(ObjectReader& file, const char* key, Mistakes& mistakes) {
  Part part{key, {}, {}};
  const JsonValue::Array* const items = file.array(key);
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const std::string where = json_pointer(file.pointer(key), std::to_string(i));
    read_published_row(part, (*items)[i], where, mistakes);
  }
  return part;
}

/// A JSON number loses the zeros at its end, so a column has the digits of its longest number.
void restore_digits(std::vector<RawRow>& rows) {
  std::map<std::string, std::size_t> digits;
  for (const RawRow& row : rows) {
    for (const auto& [key, text] : row.cells) {
      if (figure_key(key)) digits[key] = std::max(digits[key], decimals(text));
    }
  }
  for (RawRow& row : rows) {
    for (auto& [key, text] : row.cells) {
      if (figure_key(key)) text = with_decimals(text, digits[key]);
    }
  }
}

/// The matched row number i of a scale is over the scale's Baseline number i, and its sparsity is
/// measured against the scale's matched row of sparsity 0.
void link_rows(Part& matched, const Part& baseline) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < matched.rows.size(); ++i) {
    const std::string& scale = matched.scales[i];
    std::size_t place = seen[scale]++;
    for (std::size_t j = 0; j < baseline.rows.size(); ++j) {
      if (baseline.scales[j] != scale || place-- != 0) continue;
      matched.rows[i].cells.emplace_back("relative_to", *baseline.rows[j].find("name"));
      break;
    }
    for (std::size_t j = 0; j < matched.rows.size(); ++j) {
      const std::string* const sparsity = matched.rows[j].find("sparsity_percent");
      if (matched.scales[j] != scale || sparsity == nullptr) continue;
      if (sparsity->find_first_of("123456789") != std::string::npos) continue;
      matched.rows[i].cells.emplace_back("control", *matched.rows[j].find("name"));
      break;
    }
  }
}

PrintedTable published_table(const JsonValue& json, Mistakes& mistakes) {
  ObjectReader file(json, {}, mistakes);
  PrintedTable table;
  table.source = file.string("source").value_or("");
  Part baseline = read_part(file, "baseline", mistakes);
  Part matched = read_part(file, "smelt", mistakes);
  link_rows(matched, baseline);
  std::vector<RawRow> rows = std::move(baseline.rows);
  std::move(matched.rows.begin(), matched.rows.end(), std::back_inserter(rows));
  restore_digits(rows);
  table.rows = printed_rows(rows, mistakes);
  return table;
}

PrintedTable csv_table(std::string_view text, Mistakes& mistakes) {
  const DataTable data = parse_csv(text);
  std::vector<RawRow> rows;
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    RawRow& row = rows.emplace_back(RawRow{fmt::format("line {}", data.lines[i]), ": ", {}, {}});
    for (std::size_t column = 0; column < data.columns.size(); ++column) {
      const std::string& cell = data.rows[i][column];
      if (!cell.empty()) row.cells.emplace_back(data.columns[column], cell);
    }
  }
  return {"", printed_rows(rows, mistakes)};
}

PrintedTable read_table(std::string_view text, Mistakes& mistakes) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json =
      first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  if (!is_json) return csv_table(text, mistakes);
  const JsonValue json = parse_json(text);
  const bool is_published = json.find("baseline") != nullptr && json.find("smelt") != nullptr;
  return is_published ? published_table(json, mistakes) : own_table(json, mistakes);
}

}  // namespace

PrintedTable parse_printed_table(std::string_view text) {
  Mistakes mistakes;
  PrintedTable table = read_table(text, mistakes);
  mistakes.throw_if_any();
  return table;
}

PrintedTable read_printed_table(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  try {
    return parse_printed_table(text);
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

}  // namespace smelt
