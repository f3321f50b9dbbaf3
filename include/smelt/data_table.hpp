#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace smelt {

/// Rows with named columns, values as the text they were written as.
struct DataTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`
  std::vector<std::size_t> lines;              ///< of the file, from 1, where each row begins

  /// The place of a column; throws InputError with the nearest name where there is none.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  [[nodiscard]] bool has_column(std::string_view name) const;
};

/// CSV as RFC 4180 has it, a header first. Blank lines and, before the header, lines that begin
/// with # are left out. Throws InputError with every row that is longer or shorter than the header.
DataTable parse_csv(std::string_view text);

/// JSON Lines: one object a line, its members numbers or strings. Every line has the first one's
/// keys. Throws InputError with the line of each mistake.
DataTable parse_json_lines(std::string_view text);

/// Either of the two, told apart by its first sign: an object begins JSON Lines.
DataTable parse_data_table(std::string_view text);
DataTable read_data_table(const std::filesystem::path& path);

}  // namespace smelt
