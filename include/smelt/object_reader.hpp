#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smelt/error.hpp"
#include "smelt/json_value.hpp"
#include "smelt/rational.hpp"

namespace smelt {

/// Typed access to a JSON object. Every fault joins `mistakes` at its JSON pointer, and the read
/// goes on; a getter returns nothing where the key is absent or its value is at fault, so that one
/// fault gives one line. `value` and `mistakes` outlive the reader.
class ObjectReader {
 public:
  /// `where` is the JSON pointer of `value`, "" for the whole document. A value that is no object
  /// is a mistake, and all its keys are then absent.
  ObjectReader(const JsonValue& value, std::string where, Mistakes& mistakes);

  [[nodiscard]] bool is_object() const { return value_->if_object() != nullptr; }
  [[nodiscard]] bool has(std::string_view key) const { return value_->find(key) != nullptr; }

  /// The keys that must be there; reject_unknown_keys reports the absent ones.
  void require(std::initializer_list<std::string_view> keys);
  /// A mistake at the key, or at the object itself for an empty key.
  void fault(std::string_view key, std::string what, std::string expected = {});

  /// A whole number within [lowest, highest].
  std::optional<std::int64_t> count(std::string_view key, std::int64_t lowest,
                                    std::int64_t highest);
  /// Any number, exactly as written.
  std::optional<Rational> number(std::string_view key);
  /// A fraction not below 0, as a number (0.04) or a string ("4%").
  std::optional<Rational> fraction(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  /// A string without control characters.
  std::optional<std::string> string(std::string_view key);
  std::optional<ObjectReader> object(std::string_view key);
  /// Item `index` of the array at `key`, which must have it.
  ObjectReader item(std::string_view key, std::size_t index);
  /// An array of whole numbers within [lowest, highest]; empty where absent or at fault.
  std::vector<std::int64_t> counts(std::string_view key, std::int64_t lowest, std::int64_t highest);
  /// Null where absent or at fault.
  const JsonValue::Array* array(std::string_view key);
  /// The value of any kind; null where absent.
  const JsonValue* value(std::string_view key);

  [[nodiscard]] std::string pointer(std::string_view key) const;

  /// Ends the read: a mistake for each required key that is absent and for each key that nothing
  /// has asked for, with the nearest key that was. A misspelt required key gives one mistake.
  void reject_unknown_keys();

 private:
  const JsonValue* get(std::string_view key);
  void report_unknown(std::string_view key);
  void wrong_kind(std::string_view key, const JsonValue& value, std::string_view wanted);

  const JsonValue* value_;
  std::string where_;
  Mistakes* mistakes_;
  std::vector<std::string> known_;
  std::vector<std::string> missing_;
};

}  // namespace smelt
