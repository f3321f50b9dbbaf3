#include "smelt/law_data_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "smelt/error.hpp"
#include "smelt/json_value.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

constexpr const char* kBudget = "budget";
constexpr const char* kBudgetColumn = "training_flops";
constexpr const char* kTokens = "tokens";
constexpr const char* kLoss = "loss";

struct Letter {
  const char* letter;
  const char* variable;
};
constexpr Letter kLetters[] = {{"N", "params"},
                               {"F", "flops_per_token"},
                               {"S", "sparsity"},
                               {"D", kTokens},
                               {"N_once", "once_params"},
                               {"N_rec", "recurrent_params"},
                               {"r", "visits"},
                               {"L", kLoss},
                               {"C", kBudget}};

std::vector<std::string> known_variables(LawForm form) {
  std::vector<std::string> names = law_form_info(form).variables;
  names.emplace_back(kLoss);
  names.emplace_back(kBudget);
  return names;
}

/// A variable by its name or letter; throws where the form has none such.
std::string variable_named(std::string_view name, LawForm form, std::string_view where) {
  std::string variable(name);
  for (const Letter& letter : kLetters) {
    if (name == letter.letter) variable = letter.variable;
  }
  const std::vector<std::string> known = known_variables(form);
  if (std::find(known.begin(), known.end(), variable) != known.end()) return variable;
  throw InputError(
      std::string(where),
      fmt::format("the form {} has no variable '{}'", law_form_info(form).name, printable(name)),
      fmt::format("one of {}", fmt::join(known, ", ")));
}

/// The column of a variable; none where neither the map nor the table has it.
std::optional<std::size_t> column_of(const DataTable& table, const std::string& variable,
                                     const ColumnMap& map) {
  const auto mapped = map.find(variable);
  if (mapped != map.end()) {
    try {
      return table.column(mapped->second);
    } catch (const InputError& error) {
      throw error.within("--map " + variable);
    }
  }
  if (table.has_column(variable)) return table.column(variable);
  if (variable == kBudget && table.has_column(kBudgetColumn)) return table.column(kBudgetColumn);
  return std::nullopt;
}

std::vector<double> numbers(const DataTable& table, std::size_t column) {
  std::vector<double> values;
  Mistakes mistakes;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string where = fmt::format("line {}, {}", table.lines[i], table.columns[column]);
    try {
      values.push_back(parse_real(table.rows[i][column], where));
    } catch (const InputError& error) {
      mistakes.add(error);
    }
  }
  mistakes.throw_if_any();
  return values;
}

std::vector<double> required(const DataTable& table, const std::string& variable,
                             const ColumnMap& map) {
  const std::optional<std::size_t> column = column_of(table, variable, map);
  if (column) return numbers(table, *column);
  throw InputError(
      variable, "no column holds it",
      fmt::format("--map {}=COLUMN, one of {}", variable, fmt::join(table.columns, ", ")));
}

/// D = C / F for every run; `data` holds all variables but the tokens.
std::vector<double> tokens_from_budget(const DataTable& table, const ColumnMap& map,
                                       const LawData& data) {
  std::vector<double> tokens = required(table, kBudget, map);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] /= law_flops_per_token(data.form, data.row(i));
  }
  return tokens;
}

}  // namespace

ColumnMap parse_column_map(std::string_view text, LawForm form, std::string_view where) {
  ColumnMap map;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals + 1 == pair.size()) {
      throw InputError(std::string(where), fmt::format("'{}' maps nothing", printable(pair)),
                       "VARIABLE=COLUMN, as in N=params,D=tokens,L=loss");
    }
    const std::string variable = variable_named(pair.substr(0, equals), form, where);
    if (!map.emplace(variable, pair.substr(equals + 1)).second) {
      throw InputError(std::string(where), fmt::format("{} is mapped twice", variable),
                       "one column a variable");
    }
  }
  return map;
}

LawData read_law_data(const DataTable& table, LawForm form, const ColumnMap& map) {
  LawData data;
  data.form = form;
  data.loss = required(table, kLoss, map);
  for (const std::string& variable : law_form_info(form).variables) {
    const bool derive =
        variable == kTokens && !column_of(table, variable, map) && column_of(table, kBudget, map);
    data.variables.push_back(derive ? tokens_from_budget(table, map, data)
                                    : required(table, variable, map));
  }
  return data;
}

}  // namespace smelt
