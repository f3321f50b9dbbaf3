#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "smelt/error.hpp"
#include "smelt/json_value.hpp"

namespace smelt {
namespace {

constexpr std::size_t kLongestNumber = 100;  // characters; numbers of use have far fewer
constexpr int kNumberOverflow = 406;         // nlohmann's id for a number beyond a double

/// "line L, column C" of a byte of the text, both from 1, columns in characters.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto columns = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start),
                                     before.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return fmt::format("line {}, column {}", lines + 1, columns + 1);
}

/// nlohmann words a syntax error "[id] parse error at line L, column C: syntax error while parsing
/// THING - WHAT; last read: 'TEXT'; expected EXPECTED"; WHAT and EXPECTED are what a reader needs.
Mistake syntax_mistake(std::string where, std::string_view message) {
  static constexpr std::string_view kDash = " - ";
  static constexpr std::string_view kExpected = "; expected ";
  const std::size_t dash = message.find(kDash);
  if (dash != std::string_view::npos) message.remove_prefix(dash + kDash.size());
  const std::size_t expected = message.find(kExpected);
  Mistake mistake{std::move(where), std::string(message.substr(0, message.find("; "))), {}};
  if (mistake.what == "invalid literal") {
    mistake.expected = R"(a number, "string", true, false, null, [...] or {...})";
  } else if (expected != std::string_view::npos) {
    const std::string_view rest = message.substr(expected + kExpected.size());
    mistake.expected = rest.substr(0, rest.find("; "));
  }
  return mistake;
}

/// Builds the value from nlohmann's events. A handler returns whether to go on.
class Builder {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  bool null() { return add(JsonValue()); }
  bool boolean(bool value) { return add(JsonValue::boolean(value)); }
  bool number_integer(std::int64_t value) { return add(JsonValue::number(std::to_string(value))); }
  bool number_unsigned(std::uint64_t value) {
    return add(JsonValue::number(std::to_string(value)));
  }
  bool number_float(double /*value*/, const std::string& raw) {
    if (raw.size() > kLongestNumber) {
      return fail(place(), fmt::format("a number of {} characters", raw.size()),
                  fmt::format("at most {}", kLongestNumber));
    }
    std::string text = raw;  // nlohmann writes the locale's decimal point
    std::replace_if(text.begin(), text.end(), is_decimal_point, '.');
    return add(JsonValue::number(std::move(text)));
  }
  bool string(std::string& value) { return add(JsonValue::string(std::move(value))); }
  static bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }

  bool start_object(std::size_t /*size*/) { return open(JsonValue::object({})); }
  bool start_array(std::size_t /*size*/) { return open(JsonValue::array({})); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Frame& frame = open_.back();
    frame.key = std::move(name);
    if (frame.keys.insert(frame.key).second) return true;
    return fail(place(), "the key is given twice", "keep one");
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) {
    if (error.id == kNumberOverflow) {
      return fail(place(), printable(token) + " is out of range",
                  "at most 18 digits, and below 9.2e18");
    }
    const std::size_t offset = std::min(position == 0 ? 0 : position - 1, text_.size());
    mistake_ = syntax_mistake(line_and_column(text_, offset), error.what());
    return false;
  }

  JsonValue take() { return std::move(root_); }
  [[nodiscard]] const Mistake& mistake() const { return mistake_; }

 private:
  /// An array or object whose end is still to come.
  struct Frame {
    JsonValue value;
    std::string key;                       ///< of the member being read
    std::unordered_set<std::string> keys;  ///< seen so far
  };

  static bool is_decimal_point(char c) {
    return std::string_view("0123456789+-eE").find(c) == std::string_view::npos;
  }

  bool fail(std::string where, std::string what, std::string expected) {
    mistake_ = {std::move(where), std::move(what), std::move(expected)};
    return false;
  }

  /// The JSON pointer of the value being read.
  [[nodiscard]] std::string place() const {
    std::string pointer;
    for (const Frame& frame : open_) {
      const JsonValue::Array* items = frame.value.if_array();
      pointer = json_pointer(pointer, items != nullptr ? std::to_string(items->size()) : frame.key);
    }
    return pointer;
  }

  bool open(JsonValue value) {
    if (open_.size() == kDeepestJson) {
      return fail({}, "is nested too deeply", fmt::format("at most {} levels", kDeepestJson));
    }
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (JsonValue::Array* items = open_.back().value.if_array()) {
      items->push_back(std::move(value));
    } else {
      Frame& frame = open_.back();
      frame.value.if_object()->emplace_back(std::move(frame.key), std::move(value));
    }
    return true;
  }

  std::string_view text_;
  std::vector<Frame> open_;
  JsonValue root_;
  Mistake mistake_;
};

}  // namespace

JsonValue parse_json(std::string_view text) {
  if (text.empty()) throw InputError({}, "is empty", "a JSON value");
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    throw InputError("line 1, column 1", "a byte order mark", "UTF-8 without one");
  }
  // nlohmann takes a NUL byte for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw InputError(line_and_column(text, nul), "a NUL byte", "UTF-8 text");
  }
  Builder builder(text);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    throw InputError({builder.mistake()});
  }
  return builder.take();
}

}  // namespace smelt
