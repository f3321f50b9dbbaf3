#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace smelt {

/// A JSON value. A number stays the text it was written as, so that no digit is lost before
/// smelt/numbers.hpp reads it; an object keeps the order of its members.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Member = std::pair<std::string, JsonValue>;
  using Object = std::vector<Member>;

  JsonValue() = default;  ///< null
  static JsonValue boolean(bool value) { return JsonValue(Data(value)); }
  static JsonValue number(std::string text) { return JsonValue(Data(Number{std::move(text)})); }
  static JsonValue string(std::string text) { return JsonValue(Data(std::move(text))); }
  static JsonValue array(Array items) { return JsonValue(Data(std::move(items))); }
  static JsonValue object(Object members) { return JsonValue(Data(std::move(members))); }

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  /// Each null where the value is of another kind.
  [[nodiscard]] const bool* if_bool() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const std::string* if_number() const;
  [[nodiscard]] const std::string* if_string() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const Array* if_array() const { return std::get_if<Array>(&data_); }
  [[nodiscard]] const Object* if_object() const { return std::get_if<Object>(&data_); }
  Array* if_array() { return std::get_if<Array>(&data_); }
  Object* if_object() { return std::get_if<Object>(&data_); }

  /// The member of that name; null where there is none or this is no object.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;

  /// "null", "true or false", "a number", "a string", "an array" or "an object".
  [[nodiscard]] std::string_view kind() const;

  friend bool operator==(const JsonValue&, const JsonValue&) = default;

 private:
  struct Number {
    std::string text;
    friend bool operator==(const Number&, const Number&) = default;
  };
  using Data = std::variant<std::monostate, bool, Number, std::string, Array, Object>;
  explicit JsonValue(Data data) : data_(std::move(data)) {}

  Data data_;
};

/// The deepest nesting of arrays and objects that is read.
inline constexpr std::size_t kDeepestJson = 100;

/// Reads one JSON text strictly (RFC 8259): UTF-8 without a byte order mark, no comments, no NaN or
/// infinity, no key twice in an object, nothing after the value. Throws InputError at
/// "line L, column C", or at the value's JSON pointer where its place in the document says more.
JsonValue parse_json(std::string_view text);

/// The value as JSON text, two blanks to a level, a newline at the end.
std::string write_json(const JsonValue& value);

/// The value as JSON text on one line, a newline at the end.
std::string write_json_line(const JsonValue& value);

/// The JSON pointer (RFC 6901) of a member: `where` + "/" + key, control characters made visible.
std::string json_pointer(std::string_view where, std::string_view key);

/// Text from a user for one line of an error: control characters as \uXXXX, cut at 60 characters.
std::string printable(std::string_view text);

}  // namespace smelt
