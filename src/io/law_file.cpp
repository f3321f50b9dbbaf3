#include "smelt/law_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/named_file.hpp"
#include "io/object_writer.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"

namespace smelt {
namespace {

constexpr const char* kLossVariable = "loss";
constexpr const char* kBudget = "budget";

/// A number as a double: budgets pass 64 bits.
std::optional<double> real(ObjectReader& object, const std::string& key, Mistakes& mistakes) {
  const JsonValue* value = object.value(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->if_number();
  if (text == nullptr) {
    object.fault(key, fmt::format("is {}, not a number", value->kind()));
    return std::nullopt;
  }
  try {
    return parse_real(*text, object.pointer(key));
  } catch (const InputError& error) {
    mistakes.add(error);
    return std::nullopt;
  }
}

std::vector<std::string> string_list(ObjectReader& file, std::string_view key) {
  std::vector<std::string> list;
  const JsonValue::Array* items = file.array(key);
  if (items == nullptr) return list;
  for (const JsonValue& item : *items) {
    if (const std::string* text = item.if_string()) {
      list.push_back(*text);
    } else {
      file.fault(key, fmt::format("holds {}, not only strings", item.kind()));
    }
  }
  return list;
}

/// Each of the form's coefficients stands either under "coefficients" or under "unstated".
void read_coefficients(ObjectReader& file, Law& law, Mistakes& mistakes) {
  file.require({"coefficients"});
  const std::vector<std::string> unstated = string_list(file, "unstated");
  std::optional<ObjectReader> object = file.object("coefficients");
  if (!object) return;
  const std::vector<std::string>& names = law_form_info(law.form).coefficients;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_unstated =
        std::find(unstated.begin(), unstated.end(), names[i]) != unstated.end();
    const std::optional<double> value = real(*object, names[i], mistakes);
    law.coefficients[i] = value.value_or(std::numeric_limits<double>::quiet_NaN());
    if (object->has(names[i]) == is_unstated) {
      object->fault(names[i], is_unstated ? "is both stated and unstated" : "is missing",
                    fmt::format("a number, or \"{}\" under /unstated", names[i]));
    }
  }
  object->reject_unknown_keys();
}

std::vector<std::string> with(std::vector<std::string> names, const char* one_more) {
  names.emplace_back(one_more);
  return names;
}

void read_conventions(ObjectReader& file, Law& law) {
  std::optional<ObjectReader> object = file.object("variables");
  if (!object) return;
  for (const std::string& name : with(law_form_info(law.form).variables, kLossVariable)) {
    if (const auto text = object->string(name)) law.conventions[name] = *text;
  }
  object->reject_unknown_keys();
}

std::optional<LawRange> read_range(ObjectReader& window, const std::string& name) {
  const JsonValue::Array* items = window.array(name);
  if (items == nullptr) return std::nullopt;
  std::vector<double> ends;
  for (const JsonValue& item : *items) {
    if (const std::string* text = item.if_number()) {
      ends.push_back(parse_real(*text, window.pointer(name)));
    }
  }
  if (ends.size() == 2 && items->size() == 2 && ends[0] <= ends[1])
    return LawRange{ends[0], ends[1]};
  window.fault(name, "is no range", "[lowest, highest]");
  return std::nullopt;
}

void read_window(ObjectReader& file, Law& law, Mistakes& mistakes) {
  std::optional<ObjectReader> object = file.object("window");
  if (!object) return;
  for (const std::string& name : with(law_form_info(law.form).variables, kBudget)) {
    try {
      if (const auto range = read_range(*object, name)) law.window[name] = *range;
    } catch (const InputError& error) {
      mistakes.add(error);
    }
  }
  object->reject_unknown_keys();
}

std::optional<LawForm> read_form(ObjectReader& file, Mistakes& mistakes) {
  file.require({"form"});
  const std::optional<std::string> name = file.string("form");
  if (!name) return std::nullopt;
  try {
    return law_form_named(*name, file.pointer("form")).form;
  } catch (const InputError& error) {
    mistakes.add(error);
    return std::nullopt;
  }
}

}  // namespace

Law read_law(const JsonValue& json) {
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  Law law;
  law.name = file.string("name").value_or("");
  law.description = file.string("description").value_or("");
  law.source = file.string("source").value_or("");
  law.rmse = real(file, "rmse", mistakes);
  const std::optional<LawForm> form = read_form(file, mistakes);
  if (!form) mistakes.throw_if_any();
  law.form = form.value_or(LawForm::kChinchilla);
  read_coefficients(file, law, mistakes);
  read_conventions(file, law);
  read_window(file, law, mistakes);
  file.reject_unknown_keys();
  mistakes.throw_if_any();
  return law;
}

Law read_law_file(const std::filesystem::path& path) { return read_named_file(path, read_law); }

namespace {

JsonValue number(double value) { return JsonValue::number(shortest(value)); }

void add_coefficients(ObjectWriter& out, const Law& law) {
  const std::vector<std::string>& names = law_form_info(law.form).coefficients;
  ObjectWriter stated;
  JsonValue::Array unstated;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::isfinite(law.coefficients[i])) {
      stated.add(names[i].c_str(), number(law.coefficients[i]));
    } else {
      unstated.push_back(JsonValue::string(names[i]));
    }
  }
  out.add("coefficients", stated.take());
  if (!unstated.empty()) out.add("unstated", JsonValue::array(std::move(unstated)));
}

}  // namespace

JsonValue law_json(const Law& law) {
  ObjectWriter out;
  if (!law.name.empty()) out.add("name", JsonValue::string(law.name));
  if (!law.description.empty()) out.add("description", JsonValue::string(law.description));
  out.add("form", JsonValue::string(law_form_info(law.form).name));
  add_coefficients(out, law);
  ObjectWriter variables;
  for (const auto& [name, text] : law.conventions) {
    variables.add(name.c_str(), JsonValue::string(text));
  }
  if (!law.conventions.empty()) out.add("variables", variables.take());
  ObjectWriter window;
  for (const auto& [name, range] : law.window) {
    window.add(name.c_str(), JsonValue::array({number(range.lowest), number(range.highest)}));
  }
  if (!law.window.empty()) out.add("window", window.take());
  if (law.rmse) out.add("rmse", number(*law.rmse));
  if (!law.source.empty()) out.add("source", JsonValue::string(law.source));
  return out.take();
}

std::string write_law(const Law& law) { return write_json(law_json(law)); }

}  // namespace smelt
