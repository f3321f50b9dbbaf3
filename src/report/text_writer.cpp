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

constexpr std::size_t kLineWidth = 80;
constexpr std::size_t kNarrowestText = 8;

/// Takes from the widest columns of text until the table fits a line; numbers stay whole.
void narrow(const Table& table, std::vector<std::size_t>& widths) {
  std::size_t total = kGap.size() * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  for (; total > kLineWidth; --total) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const Column& column = table.columns[i];
      const std::size_t least = std::max(kNarrowestText, display_width(column.title));
      if (column.align != Align::kLeft || widths[i] <= least) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

/// Bytes of the longest start of `text` that takes at most `width` terminal columns, at least one
/// sign.
std::size_t fitting(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t at = 1; at <= text.size(); ++at) {
    const bool inside = at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    if (inside) continue;
    if (end > 0 && display_width(text.substr(0, at)) > width) break;
    end = at;
  }
  return end;
}

/// The text in lines of at most `width`: broken at blanks and after signs that join words, within a
/// word where it has to be.
std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const std::size_t end = fitting(text, width);
    std::size_t cut = text[end] == ' ' ? end : text.substr(0, end).find_last_of(" -/,") + 1;
    if (cut == 0) cut = end;
    const std::string_view line = text.substr(0, cut);
    lines.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  lines.emplace_back(text);
  return lines;
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

/// A row, on as many lines as its most broken text needs.
void append_row(std::string& out, const Table& table, const std::vector<std::size_t>& widths,
                const TableRow& row) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string& text = row.cells[i].text;
    const bool is_text = table.columns[i].align == Align::kLeft;
    cells.push_back(is_text ? broken(text, widths[i]) : std::vector<std::string>{text});
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    const auto text = [&](std::size_t i) { return line < cells[i].size() ? cells[i][line] : ""; };
    out += table_line(table, widths, text) + '\n';
  }
}

void append_table(std::string& out, const Table& table, bool emphasis) {
  std::vector<std::size_t> widths = column_widths(table);
  narrow(table, widths);
  if (!table.title.empty()) out += visible(table.title) + '\n';
  const auto title = [&](std::size_t i) { return table.columns[i].title; };
  const auto unit = [&](std::size_t i) { return table.columns[i].unit; };
  out += emphasised(table_line(table, widths, title), emphasis);
  if (has_units(table)) out += table_line(table, widths, unit) + '\n';
  out += rule(widths);
  for (const TableRow& row : table.rows) {
    if (row.after_rule) out += rule(widths);
    append_row(out, table, widths, row);
  }
}

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
