#include "smelt/object_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smelt/numbers.hpp"

namespace smelt {

ObjectReader::ObjectReader(const JsonValue& value, std::string where, Mistakes& mistakes)
    : value_(&value), where_(std::move(where)), mistakes_(&mistakes) {
  if (!is_object()) fault({}, fmt::format("is {}, not an object", value.kind()), "{\"key\": ...}");
}

void ObjectReader::require(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!has(key)) missing_.emplace_back(key);
  }
}

void ObjectReader::fault(std::string_view key, std::string what, std::string expected) {
  mistakes_->add(key.empty() ? where_ : pointer(key), std::move(what), std::move(expected));
}

std::string ObjectReader::pointer(std::string_view key) const { return json_pointer(where_, key); }

const JsonValue* ObjectReader::get(std::string_view key) {
  known_.emplace_back(key);
  return value_->find(key);
}

const JsonValue* ObjectReader::value(std::string_view key) { return get(key); }

void ObjectReader::wrong_kind(std::string_view key, const JsonValue& value,
                              std::string_view wanted) {
  fault(key, fmt::format("is {}, not {}", value.kind(), wanted));
}

namespace {

/// The parser's result, or nothing and its mistakes collected.
template <typename Parse>
auto collect(Mistakes& mistakes, Parse parse) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const InputError& error) {
    mistakes.add(error);
    return std::nullopt;
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::optional<std::int64_t> ObjectReader::count(std::string_view key, std::int64_t lowest,
                                                std::int64_t highest) {
  const JsonValue* value = get(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->if_number();
  if (text == nullptr) {
    wrong_kind(key, *value, "a whole number");
    return std::nullopt;
  }
  return collect(*mistakes_, [&] { return parse_count(*text, pointer(key), lowest, highest); });
}

std::optional<Rational> ObjectReader::number(std::string_view key) {
  const JsonValue* value = get(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->if_number();
  if (text == nullptr) {
    wrong_kind(key, *value, "a number");
    return std::nullopt;
  }
  return collect(*mistakes_, [&] { return parse_number(*text, pointer(key)); });
}

std::optional<Rational> ObjectReader::fraction(std::string_view key) {
  const JsonValue* value = get(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->if_number();
  if (text == nullptr) text = value->if_string();
  if (text == nullptr) {
    wrong_kind(key, *value, "a fraction");
    return std::nullopt;
  }
  return collect(*mistakes_, [&] { return parse_fraction(printable(*text), pointer(key)); });
}

std::optional<bool> ObjectReader::flag(std::string_view key) {
  const JsonValue* value = get(key);
  if (value == nullptr) return std::nullopt;
  if (const bool* flag = value->if_bool()) return *flag;
  wrong_kind(key, *value, "true or false");
  return std::nullopt;
}

std::optional<std::string> ObjectReader::string(std::string_view key) {
  const JsonValue* value = get(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->if_string();
  if (text == nullptr) {
    wrong_kind(key, *value, "a string");
    return std::nullopt;
  }
  if (std::any_of(text->begin(), text->end(), is_control)) {
    fault(key, fmt::format("'{}' holds a control character", printable(*text)));
    return std::nullopt;
  }
  return *text;
}

std::optional<ObjectReader> ObjectReader::object(std::string_view key) {
  const JsonValue* value = get(key);
  if (value == nullptr) return std::nullopt;
  if (value->if_object() != nullptr) return ObjectReader(*value, pointer(key), *mistakes_);
  wrong_kind(key, *value, "an object");
  return std::nullopt;
}

ObjectReader ObjectReader::item(std::string_view key, std::size_t index) {
  const JsonValue::Array& items = *value_->find(key)->if_array();
  return {items[index], json_pointer(pointer(key), std::to_string(index)), *mistakes_};
}

std::vector<std::int64_t> ObjectReader::counts(std::string_view key, std::int64_t lowest,
                                               std::int64_t highest) {
  std::vector<std::int64_t> values;
  const JsonValue::Array* items = array(key);
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const std::string* text = (*items)[i].if_number();
    const auto value = text == nullptr ? std::nullopt : collect(*mistakes_, [&] {
      return parse_count(*text, pointer(key), lowest, highest);
    });
    if (text == nullptr) wrong_kind(key, (*items)[i], "a whole number");
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

const JsonValue::Array* ObjectReader::array(std::string_view key) {
  const JsonValue* value = get(key);
  if (value == nullptr) return nullptr;
  if (value->if_array() == nullptr) wrong_kind(key, *value, "an array");
  return value->if_array();
}

void ObjectReader::report_unknown(std::string_view key) {
  const auto meant = std::find_if(missing_.begin(), missing_.end(), [&](const std::string& name) {
    return !did_you_mean(key, {name}).empty();
  });
  if (meant == missing_.end()) {
    fault(key, "unknown key", did_you_mean(key, known_));
  } else {
    fault(key, "unknown key", did_you_mean(key, {*meant}));
    missing_.erase(meant);
  }
}

void ObjectReader::reject_unknown_keys() {
  static constexpr std::size_t kMostNamed = 10;
  if (!is_object()) return;
  std::size_t unknown = 0;
  for (const auto& [key, value] : *value_->if_object()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    if (++unknown <= kMostNamed) report_unknown(key);
  }
  if (unknown > kMostNamed) {
    fault({}, fmt::format("{} more unknown keys", unknown - kMostNamed));
  }
  for (const std::string& key : missing_) fault(key, "is missing");
}

}  // namespace smelt
