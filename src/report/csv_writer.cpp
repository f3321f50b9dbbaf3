#include <algorithm>

#include "report/writers.hpp"

namespace smelt {
namespace {

constexpr std::string_view kLineEnd = "\r\n";  // RFC 4180

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void append_record(std::string& out, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted(fields[i]);
  }
  out += kLineEnd;
}

/// The keys of all tables' columns, each once, in order of appearance.
std::vector<std::string> all_keys(const Document& document) {
  std::vector<std::string> keys;
  for (const Table& table : document.tables) {
    for (const Column& column : table.columns) {
      if (std::find(keys.begin(), keys.end(), column.key) == keys.end()) keys.push_back(column.key);
    }
  }
  return keys;
}

std::string raw_value(const Table& table, const TableRow& row, const std::string& key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return row.cells[i].raw;
  }
  return {};
}

}  // namespace

std::string write_csv(const Document& document) {
  const bool several = document.tables.size() > 1;
  const std::vector<std::string> keys = all_keys(document);
  std::string out;
  std::vector<std::string> header = keys;
  if (several) header.insert(header.begin(), "table");
  append_record(out, header);
  for (const Table& table : document.tables) {
    for (const TableRow& row : table.rows) {
      std::vector<std::string> fields;
      if (several) fields.push_back(table.key);
      for (const std::string& key : keys) fields.push_back(raw_value(table, row, key));
      append_record(out, fields);
    }
  }
  return out;
}

}  // namespace smelt
