#include <algorithm>

#include "report/writers.hpp"

namespace smelt {
namespace {

std::string escaped_char(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '&':
    case '%':
    case '$':
    case '#':
    case '_':
    case '{':
    case '}':
      return std::string("\\") + c;
    default:
      return std::string(1, static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
}

bool is_negative_number(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

/// A hyphen before a digit is a minus sign, and a number keeps its unit on its line.
std::string escaped(std::string_view text) {
  std::string out;
  if (is_negative_number(text)) {
    out = "$-$";
    text.remove_prefix(1);
  }
  for (const char c : text) out += escaped_char(c);
  return out;
}

std::string comment(const std::string& line) {
  std::string out = "% " + line;
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out + '\n';
}

template <typename GetText>
void append_line(std::string& out, std::size_t columns, GetText text) {
  out += "  ";
  for (std::size_t i = 0; i < columns; ++i) {
    if (i > 0) out += " & ";
    out += escaped(text(i));
  }
  out += " \\\\\n";
}

void append_table(std::string& out, const Table& table) {
  const std::size_t columns = table.columns.size();
  bool units = false;
  std::string alignment;
  for (const Column& column : table.columns) {
    alignment += column.align == Align::kLeft ? 'l' : 'r';
    units = units || !column.unit.empty();
  }
  if (!table.title.empty()) out += comment(table.title);
  out += "\\begin{tabular}{" + alignment + "}\n  \\toprule\n";
  append_line(out, columns, [&](std::size_t i) { return table.columns[i].title; });
  if (units) append_line(out, columns, [&](std::size_t i) { return table.columns[i].unit; });
  out += "  \\midrule\n";
  for (const TableRow& row : table.rows) {
    if (row.after_rule) out += "  \\midrule\n";
    append_line(out, columns, [&](std::size_t i) { return row.cells[i].text; });
  }
  out += "  \\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string write_latex(const Document& document) {
  std::string out = comment("Needs \\usepackage{booktabs}.");
  for (const std::string& line : document.heading) out += comment(line);
  for (const Table& table : document.tables) {
    if (&table != &document.tables.front()) out += '\n';
    append_table(out, table);
  }
  for (const std::string& line : document.notes) out += comment(line);
  return out;
}

}  // namespace smelt
