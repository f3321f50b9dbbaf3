#include <algorithm>

#include "report/writers.hpp"

namespace smelt {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

/// A name from a file must not steer the terminal: control characters become '?'.
std::string visible(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = '?';
  }
  return text;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string fill(width > used ? width - used : 0, ' ');
  return align == Align::kLeft ? text + fill : fill + text;
}

bool has_units(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const Column& column) { return !column.unit.empty(); });
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) {
    widths.push_back(std::max(display_width(column.title), display_width(column.unit)));
  }
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row.cells[i].text));
    }
  }
  return widths;
}

/// One line of the table, without blanks at its end.
template <typename GetText>
std::string table_line(const Table& table, const std::vector<std::size_t>& widths, GetText text) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) line += kGap;
    line += padded(visible(text(i)), widths[i], table.columns[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string rule(const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) line += kGap;
    line += std::string(widths[i], '-');
  }
  return line + '\n';
}

std::string emphasised(const std::string& line, bool emphasis) {
  return emphasis ? std::string(kBold) + line + std::string(kPlain) + '\n' : line + '\n';
}

void append_table(std::string& out, const Table& table, bool emphasis) {
  const std::vector<std::size_t> widths = column_widths(table);
  if (!table.title.empty()) out += visible(table.title) + '\n';
  const auto title = [&](std::size_t i) { return table.columns[i].title; };
  const auto unit = [&](std::size_t i) { return table.columns[i].unit; };
  out += emphasised(table_line(table, widths, title), emphasis);
  if (has_units(table)) out += table_line(table, widths, unit) + '\n';
  out += rule(widths);
  for (const TableRow& row : table.rows) {
    if (row.after_rule) out += rule(widths);
    out += table_line(table, widths, [&](std::size_t i) { return row.cells[i].text; }) + '\n';
  }
}

constexpr std::size_t kLineWidth = 80;

/// The text with line ends in place of blanks, so that no line is wider than kLineWidth unless one
/// word is.
std::string wrapped(std::string text) {
  std::size_t line_start = 0;
  std::size_t last_blank = std::string::npos;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool blank = at == text.size() || text[at] == ' ';
    if (!blank) continue;
    const std::string_view line = std::string_view{text}.substr(line_start, at - line_start);
    const std::size_t width = display_width(line);
    if (width > kLineWidth && last_blank != std::string::npos) {
      text[last_blank] = '\n';
      line_start = last_blank + 1;
    }
    last_blank = at;
  }
  return text;
}

void append_lines(std::string& out, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) out += wrapped(visible(line)) + '\n';
}

}  // namespace

std::string write_text(const Document& document, bool emphasis) {
  std::string out;
  append_lines(out, document.heading);
  for (const Table& table : document.tables) {
    if (!out.empty()) out += '\n';
    append_table(out, table, emphasis);
  }
  if (!out.empty() && !document.notes.empty()) out += '\n';
  append_lines(out, document.notes);
  return out;
}

}  // namespace smelt
