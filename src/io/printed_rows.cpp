#include "io/printed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/json_value.hpp"
#include "smelt/model.hpp"
#include "smelt/numbers.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kLargestSize = 1'000'000'000;

constexpr PrintedKind kKinds[] = {PrintedKind::kActiveParams, PrintedKind::kTotalParams,
                                  PrintedKind::kFlops,        PrintedKind::kSparsity,
                                  PrintedKind::kFlopsRatio,   PrintedKind::kKvRatio};

struct KeySuffix {
  std::string_view suffix;
  std::string_view unit;
};
constexpr KeySuffix kSuffixes[] = {{"", ""},          {"_thousand", "k"}, {"_million", "M"},
                                   {"_billion", "B"}, {"_trillion", "T"}, {"_percent", "%"}};

const std::vector<std::string> kKeys = {"name",         "family",
                                        "hidden_size",  "num_hidden_layers",
                                        "num_experts",  "num_experts_per_tok",
                                        "loop",         "relative_to",
                                        "control",      "active_params",
                                        "total_params", "flops",
                                        "sparsity",     "flops_ratio",
                                        "kv_ratio"};

std::string text_of(const RawRow& row, std::string_view key, const std::string& otherwise) {
  const std::string* const text = row.find(key);
  return text != nullptr ? *text : otherwise;
}

/// Reads one row, names resolved later.
class RowReader {
 public:
  RowReader(const RawRow& raw, Mistakes& mistakes) : raw_(raw), mistakes_(mistakes) {}

  PrintedRow read(std::size_t index) {
    PrintedRow row;
    row.name = text_of(raw_, "name", fmt::format("row {}", index + 1));
    row.family = text_of(raw_, "family", row.name);
    row.hidden_size = size("hidden_size", 1, std::nullopt);
    row.num_layers = size("num_hidden_layers", 1, std::nullopt, kMostLayers);
    row.num_experts = size("num_experts", 0, 0);
    row.num_experts_per_tok = size("num_experts_per_tok", row.num_experts > 0 ? 1 : 0,
                                   row.num_experts > 0 ? std::nullopt : std::optional(0));
    if (row.num_experts_per_tok > row.num_experts) {
      mistakes_.add(raw_.at("num_experts_per_tok"),
                    fmt::format("{} is too large", row.num_experts_per_tok), "at most num_experts");
    }
    if (const std::string* loop = raw_.find("loop"); loop != nullptr && row.num_layers > 0) {
      attempt([&] { row.loop = parse_loop(*loop, row.num_layers, raw_.at("loop")); });
    }
    for (const auto& [key, text] : raw_.cells) read_figure(row, key, text);
    return row;
  }

 private:
  template <typename Step>
  void attempt(Step step) {
    try {
      step();
    } catch (const InputError& error) {
      mistakes_.add(error);
    }
  }

  /// 0 where at fault.
  std::int64_t size(std::string_view key, std::int64_t lowest, std::optional<int> otherwise,
                    std::int64_t highest = kLargestSize) {
    std::int64_t value = otherwise.value_or(0);
    const std::string* const text = raw_.find(key);
    if (text != nullptr) {
      attempt([&] { value = parse_count(*text, raw_.at(key), lowest, highest); });
    } else if (!otherwise &&
               std::find(raw_.faulty.begin(), raw_.faulty.end(), key) == raw_.faulty.end()) {
      mistakes_.add(raw_.at(key), "is missing", "required");
    }
    return value;
  }

  void read_figure(PrintedRow& row, const std::string& key, const std::string& text) {
    const std::optional<FigureKey> named = figure_key(key);
    if (!named) {
      if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
        mistakes_.add(raw_.at(key), "unknown key", did_you_mean(key, kKeys));
      }
      return;
    }
    if (row.find(named->kind) != nullptr) {
      mistakes_.add(raw_.at(key), "the figure stands twice", "one key for it");
      return;
    }
    attempt([&] {
      row.figures.push_back(printed_figure(named->kind, text + named->unit, raw_.at(key)));
    });
  }

  const RawRow& raw_;
  Mistakes& mistakes_;
};

/// The place of the row that a cell names.
std::optional<std::size_t> named_row(const std::vector<RawRow>& raw, std::size_t index,
                                     std::string_view key, const std::vector<PrintedRow>& rows,
                                     Mistakes& mistakes) {
  const std::string* const name = raw[index].find(key);
  if (name == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == *name) return i;
    names.push_back(rows[i].name);
  }
  mistakes.add(raw[index].at(key), fmt::format("no row is named '{}'", printable(*name)),
               did_you_mean(*name, names));
  return std::nullopt;
}

void check_row(const RawRow& raw, const PrintedRow& row, const std::vector<PrintedRow>& rows,
               Mistakes& mistakes) {
  const bool has_ratio =
      row.find(PrintedKind::kFlopsRatio) != nullptr || row.find(PrintedKind::kKvRatio) != nullptr;
  if (has_ratio && !row.relative_to && raw.find("relative_to") == nullptr) {
    mistakes.add(raw.at("relative_to"), "is missing",
                 "the name of the row that the ratios are over");
  }
  for (const PrintedRow& other : rows) {
    if (other.family == row.family && other.hidden_size != row.hidden_size) {
      mistakes.add(
          raw.at("hidden_size"),
          fmt::format("{} differs within family '{}'", row.hidden_size, printable(row.family)),
          fmt::format("{}, or a family of its own", other.hidden_size));
      return;
    }
    if (&other == &row) return;
    if (other.name == row.name) {
      mistakes.add(raw.at("name"), fmt::format("two rows are named '{}'", printable(row.name)));
    }
  }
}

}  // namespace

const std::string* RawRow::find(std::string_view key) const {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell.first == key; });
  return found == cells.end() ? nullptr : &found->second;
}

std::optional<FigureKey> figure_key(std::string_view key) {
  for (const PrintedKind kind : kKinds) {
    const std::string_view name = printed_kind_name(kind);
    if (!key.starts_with(name)) continue;
    for (const KeySuffix& each : kSuffixes) {
      if (key.substr(name.size()) == each.suffix) return FigureKey{kind, std::string(each.unit)};
    }
  }
  return std::nullopt;
}

std::size_t decimals(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) return 0;
  const std::size_t end = number.find_first_not_of("0123456789", point + 1);
  return std::min(end, number.size()) - point - 1;
}

std::string with_decimals(std::string number, std::size_t digits) {
  const std::size_t own = decimals(number);
  if (own >= digits) return number;
  const std::size_t end = std::min(number.find_first_not_of("+-.0123456789"), number.size());
  const std::string point = number.find('.') == std::string::npos ? "." : "";
  return number.insert(end, point + std::string(digits - own, '0'));
}

std::vector<PrintedRow> printed_rows(const std::vector<RawRow>& raw, Mistakes& mistakes) {
  std::vector<PrintedRow> rows;
  rows.reserve(raw.size());
  for (const RawRow& each : raw) rows.push_back(RowReader(each, mistakes).read(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].relative_to = named_row(raw, i, "relative_to", rows, mistakes);
    rows[i].control = named_row(raw, i, "control", rows, mistakes);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) check_row(raw[i], rows[i], rows, mistakes);
  return rows;
}

}  // namespace smelt
