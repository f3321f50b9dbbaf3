#include "config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/numbers.hpp"

namespace smelt::hf {

namespace {

bool is_absent(const JsonValue* value) { return value == nullptr || value->is_null(); }

std::vector<std::string> names_of(const KeySpec& spec) {
  std::vector<std::string> names = {std::string(spec.name)};
  names.insert(names.end(), spec.aliases.begin(), spec.aliases.end());
  return names;
}

std::string shown(const JsonValue& value) {
  std::string text = write_json(value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return printable(text);
}

}  // namespace

std::string Config::pointer(std::string_view key) const { return json_pointer(where_, key); }

const JsonValue* Config::peek(std::string_view key) const {
  for (const std::string& name : names_of(key_spec(key))) {
    const JsonValue* value = json_->find(name);
    if (!is_absent(value)) return value;
  }
  return nullptr;
}

bool Config::states_null(std::string_view key) const {
  const JsonValue* value = json_->find(key);
  return value != nullptr && value->is_null();
}

void Config::fault(std::string_view key, std::string what, std::string expected) {
  if (missing_object_ || !at_fault_.insert(std::string(key)).second) return;
  findings_->mistakes.add(pointer(key), std::move(what), std::move(expected));
}

void Config::inconsistent(std::string_view key, std::string what, std::string expected) {
  if (sound()) fault(key, std::move(what), std::move(expected));
}

void Config::note(std::string_view key, std::string text) {
  findings_->notes.push_back({pointer(key), std::move(text)});
}

/// The key's value under whichever name it has; two names must agree.
std::optional<Config::Found> Config::find(std::string_view key) {
  std::optional<Found> found;
  for (const std::string& name : names_of(key_spec(key))) {
    read_.insert(name);
    const JsonValue* value = json_->find(name);
    if (is_absent(value)) continue;
    if (!found) {
      found = Found{name, value};
    } else if (!(*found->value == *value)) {
      fault(name,
            fmt::format("is {}, but {}, which means the same, is {}", shown(*value), found->key,
                        shown(*found->value)),
            "one of the two alone");
      at_fault_.insert(found->key);
    }
  }
  if (found && found->key != key) note(found->key, fmt::format("read as {}", key));
  return found;
}

std::optional<Config::Found> Config::find_asked(std::string_view key, std::string rule) {
  auto& keys = findings_->keys;
  const auto same = [&](const HfKey& known) { return known.name == key; };
  if (std::none_of(keys.begin(), keys.end(), same)) keys.push_back({std::string(key), rule});
  std::optional<Found> found = find(key);
  if (!found && rule != "required") note(key, fmt::format("absent: {}", rule));
  return found;
}

void Config::missing(std::string_view key) {
  std::vector<std::string> unread;
  if (const JsonValue::Object* members = json_->if_object()) {
    for (const auto& [name, value] : *members) {
      if (!read_.contains(name)) unread.push_back(name);
    }
  }
  const KeySpec spec = key_spec(key);
  std::string expected = did_you_mean(key, unread);
  if (expected.empty() && !spec.aliases.empty()) {
    expected = fmt::format("give it, or its alias {}", spec.aliases.front());
  }
  fault(key, "is missing", expected.empty() ? "give it" : expected);
}

std::optional<std::int64_t> Config::read_count(const Found& found, const KeySpec& spec) {
  const std::string* text = found.value->if_number();
  if (text == nullptr) {
    fault(found.key, fmt::format("is {}, not a whole number", found.value->kind()), {});
    return std::nullopt;
  }
  try {
    return parse_count(*text, pointer(found.key), spec.lowest, spec.highest);
  } catch (const InputError& error) {
    const Mistake& mistake = error.mistakes().front();
    fault(found.key, mistake.what, mistake.expected);
    return std::nullopt;
  }
}

void Config::give(std::string_view key, std::int64_t absent, std::string_view because) {
  if (!find_asked(key, std::string(because))) given_.emplace(key, absent);
}

std::int64_t Config::need(std::string_view key) {
  if (const auto given = given_.find(key); given != given_.end()) return given->second;
  const KeySpec spec = key_spec(key);
  const auto found = find_asked(key, "required");
  if (!found) missing(key);
  return found ? read_count(*found, spec).value_or(spec.lowest)
               : std::max<std::int64_t>(spec.lowest, 0);
}

std::int64_t Config::count_or(std::string_view key, std::int64_t absent, std::string_view because) {
  const auto found = find_asked(key, std::string(because));
  return found ? read_count(*found, key_spec(key)).value_or(absent) : absent;
}

std::optional<std::int64_t> Config::maybe(std::string_view key, std::string_view because) {
  const auto found = find_asked(key, std::string(because));
  return found ? read_count(*found, key_spec(key)) : std::nullopt;
}

bool Config::read_flag(const Found& found, bool otherwise) {
  const bool* value = found.value->if_bool();
  if (value == nullptr) {
    fault(found.key, fmt::format("is {}, not true or false", found.value->kind()), {});
  }
  return value != nullptr ? *value : otherwise;
}

bool Config::need_flag(std::string_view key) {
  const auto found = find_asked(key, "required");
  if (!found) missing(key);
  return found && read_flag(*found, false);
}

bool Config::flag_or(std::string_view key, bool absent, std::string_view because) {
  const auto found = find_asked(key, std::string(because));
  return found ? read_flag(*found, absent) : absent;
}

void Config::restate_flag(std::string_view key, bool always) {
  const std::string_view value = always ? "true" : "false";
  if (flag_or(key, always, fmt::format("{}, as the class always has it", value)) == always) return;
  inconsistent(key, fmt::format("is {}, which the class does not know", always ? "false" : "true"),
               std::string(value));
}

std::string Config::need_text(std::string_view key) {
  if (!has(key)) {
    find_asked(key, "required");
    missing(key);
    return {};
  }
  return text_or(key, {}, "required");
}

std::string Config::text_or(std::string_view key, std::string_view absent,
                            std::string_view because) {
  const auto found = find_asked(key, std::string(because));
  if (!found) return std::string(absent);
  if (const std::string* text = found->value->if_string()) return *text;
  fault(found->key, fmt::format("is {}, not a string", found->value->kind()), {});
  return std::string(absent);
}

std::vector<std::int64_t> Config::read_counts(const Found& found, const KeySpec& spec) {
  std::vector<std::int64_t> values;
  for (const JsonValue& item : *found.value->if_array()) {
    const auto value = read_count({found.key, &item}, spec);
    if (!value) return values;
    values.push_back(*value);
  }
  return values;
}

std::vector<std::int64_t> Config::need_per_layer(std::string_view key, std::int64_t layers) {
  const KeySpec spec = key_spec(key);
  const auto found = find_asked(key, "required");
  const auto size = static_cast<std::size_t>(layers);
  if (!found) missing(key);
  if (!found || found->value->if_array() == nullptr) {
    const auto value = found ? read_count(*found, spec) : std::nullopt;
    return std::vector<std::int64_t>(size, value.value_or(spec.lowest));
  }
  std::vector<std::int64_t> values = read_counts(*found, spec);
  if (values.size() != size) {
    inconsistent(found->key, fmt::format("lists {} layers", values.size()),
                 fmt::format("as many as num_hidden_layers, {}", layers));
  }
  values.resize(size, spec.lowest);
  return values;
}

std::optional<std::vector<std::int64_t>> Config::counts(std::string_view key,
                                                        std::string_view because) {
  const auto found = find_asked(key, std::string(because));
  if (!found) return std::nullopt;
  if (found->value->if_array() == nullptr) {
    fault(found->key, fmt::format("is {}, not a list", found->value->kind()), {});
    return std::nullopt;
  }
  return read_counts(*found, key_spec(key));
}

std::optional<std::vector<std::string>> Config::texts(std::string_view key,
                                                      std::string_view because) {
  const auto found = find_asked(key, std::string(because));
  if (!found) return std::nullopt;
  const JsonValue::Array* items = found->value->if_array();
  std::vector<std::string> values;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const std::string* text = (*items)[i].if_string();
    if (text == nullptr) items = nullptr;
    if (text != nullptr) values.push_back(*text);
  }
  if (items != nullptr) return values;
  fault(found->key, "is not a list of strings", {});
  return std::nullopt;
}

Config Config::nested(std::string_view key) {
  static const JsonValue kNothing = JsonValue::object({});
  const auto found = find_asked(key, "required");
  if (!found) missing(key);
  if (found && found->value->if_object() == nullptr) {
    fault(found->key, fmt::format("is {}, not an object", found->value->kind()), {});
  }
  const bool usable = found && found->value->if_object() != nullptr;
  Config inner(usable ? *found->value : kNothing, pointer(key), *findings_);
  inner.missing_object_ = !usable;
  return inner;
}

namespace {

/// Values that count nothing: null, false, 0, an empty list.
bool is_neutral(const JsonValue& value) {
  const bool* flag = value.if_bool();
  const std::string* number = value.if_number();
  const JsonValue::Array* items = value.if_array();
  return value.is_null() || (flag != nullptr && !*flag) || (number != nullptr && *number == "0") ||
         (items != nullptr && items->empty());
}

}  // namespace

void Config::reject_unread(std::string_view family) {
  const JsonValue::Object* members = json_->if_object();
  if (!sound() || members == nullptr) return;
  for (const auto& [key, value] : *members) {
    if (read_.contains(key) || is_neutral(value) || !changes_count(key)) continue;
    fault(key, fmt::format("may change the count, but family '{}' does not know it", family),
          "remove it, or name the family it belongs to with --as");
    return;
  }
}

}  // namespace smelt::hf
