#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "smelt/count.hpp"

namespace smelt {

/// One value in both its forms: as people read it ("3.87 B") and exact, for programs
/// ("3870301440").
struct Cell {
  std::string text;
  std::string raw;
};

Cell text_cell(std::string text);
Cell count_cell(Count value);        ///< "3,870,301,440"
Cell rounded_cell(Count value);      ///< "3.87 B": three significant digits
Cell percent_cell(double fraction);  ///< "94.6"; the raw form is the fraction itself
Cell signed_percent_cell(double fraction, int digits = 2);  ///< "+2.88 %"

enum class Align { kLeft, kRight };

/// What stands above a column.
struct Column {
  std::string title;  ///< for people
  std::string unit;   ///< "" where the values have none
  std::string key;    ///< for programs; the same key means the same quantity in every table
  Align align = Align::kRight;
};

struct TableRow {
  std::vector<Cell> cells;  ///< one for each column
  bool after_rule = false;  ///< a rule separates it from the rows above, as a total is
};

struct Table {
  std::string key;    ///< for programs, where a document has several tables
  std::string title;  ///< "" for none
  std::vector<Column> columns;
  std::vector<TableRow> rows;
};

/// A column of a table of `Item`s together with how its cells are made from one.
template <typename Item>
struct ColumnOf {
  Column column;
  std::function<Cell(const Item&)> cell;
};

/// A table with one row for each item.
template <typename Item>
Table tabulate(std::string key, std::string title, const std::vector<ColumnOf<Item>>& columns,
               const std::vector<Item>& items) {
  Table table{std::move(key), std::move(title), {}, {}};
  for (const ColumnOf<Item>& column : columns) table.columns.push_back(column.column);
  for (const Item& item : items) {
    TableRow& row = table.rows.emplace_back();
    for (const ColumnOf<Item>& column : columns) row.cells.push_back(column.cell(item));
  }
  return table;
}

/// A command's result as people read it.
struct Document {
  std::vector<std::string> heading;  ///< lines before the tables
  std::vector<Table> tables;
  std::vector<std::string> notes;  ///< lines after them
};

/// Terminal columns that a UTF-8 text takes: 0 for combining marks, 2 for wide East Asian signs.
std::size_t display_width(std::string_view utf8);

/// The forms of a document.
enum class TableFormat {
  kText,      ///< aligned plain text
  kCsv,       ///< RFC 4180, raw values; several tables become one with a leading `table` column
  kMarkdown,  ///< GitHub tables
  kLatex,     ///< tabular environments with booktabs rules
};

/// Writes a document. `emphasis` sets the text form's headers in bold (ANSI sequences); the other
/// forms ignore it. The result ends with a line end and does not depend on the locale.
std::string render(const Document& document, TableFormat format, bool emphasis = false);

}  // namespace smelt
