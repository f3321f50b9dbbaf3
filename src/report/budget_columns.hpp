#pragma once

#include "smelt/cost.hpp"
#include "smelt/table.hpp"

namespace smelt {

/// A deviation in per cent, signed, the per cent sign left to the column's unit: "+2.88".
inline Cell deviation_cell(double fraction) {
  Cell cell = signed_percent_cell(fraction);
  cell.text.erase(cell.text.find(" %"));
  return cell;
}

/// The deviation columns of a table of items with a `deviation`.
template <typename Item>
void append_deviation_columns(std::vector<ColumnOf<Item>>& columns) {
  columns.push_back({{"FLOPs", "dev %", "flops_deviation"},
                     [](const Item& item) { return deviation_cell(item.deviation.flops); }});
  columns.push_back({{"Params", "dev %", "params_deviation"},
                     [](const Item& item) { return deviation_cell(item.deviation.params); }});
  columns.push_back({{"KV", "dev %", "kv_deviation"},
                     [](const Item& item) { return deviation_cell(item.deviation.kv); }});
}

}  // namespace smelt
