#include "report/writers.hpp"

namespace smelt {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += ' ';
      continue;
    }
    if (std::string_view("\\|`*<").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

template <typename GetText>
void append_line(std::string& out, std::size_t columns, GetText text) {
  for (std::size_t i = 0; i < columns; ++i) out += "| " + text(i) + " ";
  out += "|\n";
}

void append_table(std::string& out, const Table& table) {
  if (!table.title.empty()) out += "**" + escaped(table.title) + "**\n\n";
  const std::size_t columns = table.columns.size();
  append_line(out, columns, [&](std::size_t i) {
    const Column& column = table.columns[i];
    return escaped(column.unit.empty() ? column.title : column.title + " (" + column.unit + ")");
  });
  append_line(out, columns, [&](std::size_t i) {
    return std::string(table.columns[i].align == Align::kLeft ? "---" : "---:");
  });
  for (const TableRow& row : table.rows) {
    append_line(out, columns, [&](std::size_t i) { return escaped(row.cells[i].text); });
  }
}

void append_paragraph(std::string& out, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  if (!out.empty()) out += '\n';
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += escaped(lines[i]) + (i + 1 < lines.size() ? "\\\n" : "\n");
  }
}

}  // namespace

std::string write_markdown(const Document& document) {
  std::string out;
  append_paragraph(out, document.heading);
  for (const Table& table : document.tables) {
    if (!out.empty()) out += '\n';
    append_table(out, table);
  }
  append_paragraph(out, document.notes);
  return out;
}

}  // namespace smelt
