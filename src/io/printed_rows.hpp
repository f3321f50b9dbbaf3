#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "smelt/error.hpp"
#include "smelt/printed_table.hpp"

namespace smelt {

/// A row of a table file, whatever the file's form: keys and the text of their values.
struct RawRow {
  std::string where;      ///< in the file: "/rows/0", "line 2"
  std::string separator;  ///< between `where` and a key: "/" or ": "
  std::vector<std::pair<std::string, std::string>> cells;  ///< those that are filled
  std::vector<std::string> faulty;  ///< keys whose values are reported already

  [[nodiscard]] const std::string* find(std::string_view key) const;
  [[nodiscard]] std::string at(std::string_view key) const {
    return where + separator + std::string(key);
  }
};

/// A kind of figure by a key of a table file, and what its values are multiplied by, as
/// printed_figure reads it: "active_params_billion" is active_params with "B".
struct FigureKey {
  PrintedKind kind = PrintedKind::kActiveParams;
  std::string unit;
};
std::optional<FigureKey> figure_key(std::string_view key);

/// The digits after the point of a decimal number.
std::size_t decimals(std::string_view number);

/// The number with zeros appended until it has so many digits after the point.
std::string with_decimals(std::string number, std::size_t digits);

/// The rows as what they say. Adds every fault to `mistakes`.
std::vector<PrintedRow> printed_rows(const std::vector<RawRow>& raw, Mistakes& mistakes);

}  // namespace smelt
