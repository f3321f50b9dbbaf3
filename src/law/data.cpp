#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

#include "law/domain.hpp"
#include "smelt/error.hpp"
#include "smelt/law_fit.hpp"

namespace smelt {

std::vector<double> LawData::row(std::size_t i) const {
  std::vector<double> values;
  for (const std::vector<double>& column : variables) values.push_back(column[i]);
  return values;
}

namespace {

void check_column(const std::string& name, const std::vector<double>& column, std::size_t rows) {
  assert(column.size() == rows);
  static_cast<void>(rows);
  for (std::size_t i = 0; i < column.size(); ++i) {
    try {
      law::require_admissible(name, column[i]);
    } catch (const InputError& error) {
      throw error.within(fmt::format("run {}", i + 1));
    }
  }
}

template <typename Key>
BootstrapUnits units_of(const std::vector<Key>& keys) {
  BootstrapUnits units;
  std::map<Key, std::size_t> numbers;
  for (const Key& key : keys) {
    units.unit_of_row.push_back(numbers.try_emplace(key, numbers.size()).first->second);
  }
  units.count = numbers.size();
  return units;
}

}  // namespace

void validate(const LawData& data) {
  const std::vector<std::string>& names = law_form_info(data.form).variables;
  assert(data.variables.size() == names.size());
  for (std::size_t v = 0; v < names.size(); ++v) {
    check_column(names[v], data.variables[v], data.size());
  }
  check_column("loss", data.loss, data.size());
  if (data.form != LawForm::kLoop) return;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.variables[0][i] + data.variables[1][i] > 0) continue;
    throw InputError(fmt::format("run {}", i + 1), "a model without parameters",
                     "once_params + recurrent_params above 0");
  }
}

LawData select_rows(const LawData& data, const std::vector<std::size_t>& rows) {
  LawData some;
  some.form = data.form;
  some.variables.resize(data.variables.size());
  for (const std::size_t i : rows) {
    for (std::size_t v = 0; v < data.variables.size(); ++v) {
      some.variables[v].push_back(data.variables[v][i]);
    }
    some.loss.push_back(data.loss[i]);
  }
  return some;
}

std::vector<std::size_t> rows_without_highest_loss(const LawData& data, std::size_t count) {
  std::vector<std::size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return data.loss[a] > data.loss[b]; });
  const std::size_t dropped = std::min(count, rows.size());
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(dropped));
  std::sort(rows.begin(), rows.end());
  return rows;
}

LawData drop_highest_loss(const LawData& data, std::size_t count) {
  return select_rows(data, rows_without_highest_loss(data, count));
}

BootstrapUnits units_by_row(const LawData& data) {
  BootstrapUnits units;
  units.count = data.size();
  units.unit_of_row.resize(data.size());
  std::iota(units.unit_of_row.begin(), units.unit_of_row.end(), std::size_t{0});
  return units;
}

BootstrapUnits units_by_cell(const LawData& data) {
  std::vector<std::vector<double>> models;
  for (std::size_t i = 0; i < data.size(); ++i) {
    models.push_back(data.row(i));
    models.back().pop_back();  // the tokens
  }
  return units_of(models);
}

BootstrapUnits units_by_key(const std::vector<std::string>& keys) { return units_of(keys); }

}  // namespace smelt
