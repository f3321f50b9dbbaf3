#include "smelt/data_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "smelt/error.hpp"
#include "smelt/json_value.hpp"
#include "smelt/text_file.hpp"

namespace smelt {

bool DataTable::has_column(std::string_view name) const {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::size_t DataTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  const std::string meant = did_you_mean(name, columns);
  throw InputError(std::string(name), "no column of that name",
                   meant.empty() ? fmt::format("one of {}", fmt::join(columns, ", ")) : meant);
}

namespace {

std::string line_place(std::size_t line) { return fmt::format("line {}", line); }

/// Cuts CSV into records of fields; quoted fields may hold commas, quotes and line ends.
class CsvScanner {
 public:
  explicit CsvScanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  /// Whether the line at hand is blank or begins with #, and is then left behind.
  bool skip_line(bool comments) {
    const char first = text_[at_];
    if (first != '\n' && first != '\r' && !(comments && first == '#')) return false;
    while (!at_end() && text_[at_] != '\n') ++at_;
    end_line();
    return true;
  }

  std::vector<std::string> record() {
    std::vector<std::string> fields = {field()};
    while (!at_end() && text_[at_] == ',') {
      ++at_;
      fields.push_back(field());
    }
    if (!at_end() && text_[at_] == '\r') ++at_;
    if (!at_end() && text_[at_] != '\n') {
      throw InputError(line_place(line_), "text after a closing quote",
                       "a comma or the line's end");
    }
    end_line();
    return fields;
  }

 private:
  void end_line() {
    if (!at_end()) ++at_;
    ++line_;
  }

  std::string field() {
    if (!at_end() && text_[at_] == '"') return quoted();
    const std::size_t start = at_;
    while (!at_end() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  std::string quoted() {
    const std::size_t opened = line_;
    std::string value;
    for (++at_; !at_end(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != '"') {
        value += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += c;
        ++at_;
      } else {
        ++at_;
        return value;
      }
    }
    throw InputError(line_place(opened), "a quote is not closed", "a closing \"");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void check_header(const DataTable& table, std::size_t line) {
  std::set<std::string> seen;
  Mistakes mistakes;
  for (const std::string& name : table.columns) {
    if (name.empty()) mistakes.add(line_place(line), "a column has no name", "a header first");
    if (!seen.insert(name).second) {
      mistakes.add(line_place(line), fmt::format("column '{}' stands twice", printable(name)));
    }
  }
  mistakes.throw_if_any();
}

void require_rows(const DataTable& table) {
  if (table.rows.empty()) throw InputError({}, "there are no rows", "a header, then a row a run");
}

/// A number or a string as its text.
std::string cell_text(const JsonValue& value, const std::string& where) {
  if (const std::string* number = value.if_number()) return *number;
  if (const std::string* text = value.if_string()) return *text;
  throw InputError(where, fmt::format("is {}", value.kind()), "a number or a string");
}

std::vector<std::string> cells_of(const JsonValue& object, const std::vector<std::string>& keys) {
  std::vector<std::string> cells;
  for (const std::string& key : keys) {
    const JsonValue* value = object.find(key);
    if (value == nullptr) throw InputError(json_pointer({}, key), "is missing", "as in every line");
    cells.push_back(cell_text(*value, json_pointer({}, key)));
  }
  if (object.if_object()->size() != keys.size()) {
    throw InputError({}, "has a key that the first line has not", "the same keys in every line");
  }
  return cells;
}

void add_object(DataTable& table, std::string_view text, std::size_t line) {
  const JsonValue object = parse_json(text);
  if (object.if_object() == nullptr) {
    throw InputError({}, fmt::format("is {}", object.kind()), "an object a line");
  }
  if (table.columns.empty()) {
    for (const JsonValue::Member& member : *object.if_object()) {
      table.columns.push_back(member.first);
    }
  }
  table.rows.push_back(cells_of(object, table.columns));
  table.lines.push_back(line);
}

}  // namespace

DataTable parse_csv(std::string_view text) {
  DataTable table;
  CsvScanner scanner(text);
  Mistakes mistakes;
  while (!scanner.at_end()) {
    const std::size_t line = scanner.line();
    if (scanner.skip_line(table.columns.empty())) continue;
    std::vector<std::string> fields = scanner.record();
    for (std::string& field : fields) field = trimmed(field);
    if (table.columns.empty()) {
      table.columns = std::move(fields);
      check_header(table, line);
    } else if (fields.size() != table.columns.size()) {
      mistakes.add(line_place(line), fmt::format("{} fields", fields.size()),
                   fmt::format("{}, as in the header", table.columns.size()));
    } else {
      table.rows.push_back(std::move(fields));
      table.lines.push_back(line);
    }
  }
  mistakes.throw_if_any();
  require_rows(table);
  return table;
}

DataTable parse_json_lines(std::string_view text) {
  DataTable table;
  Mistakes mistakes;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      add_object(table, one, line);
    } catch (const InputError& error) {
      mistakes.add(error.within(line_place(line)));
    }
  }
  mistakes.throw_if_any();
  require_rows(table);
  return table;
}

DataTable parse_data_table(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  return is_json ? parse_json_lines(text) : parse_csv(text);
}

DataTable read_data_table(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  try {
    return parse_data_table(text);
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

}  // namespace smelt
