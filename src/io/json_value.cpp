#include "smelt/json_value.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace smelt {

const std::string* JsonValue::if_number() const {
  const Number* number = std::get_if<Number>(&data_);
  return number == nullptr ? nullptr : &number->text;
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const Object* members = if_object();
  if (members == nullptr) return nullptr;
  for (const Member& member : *members) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

std::string_view JsonValue::kind() const {
  static constexpr std::string_view kKinds[] = {"null",     "true or false", "a number",
                                                "a string", "an array",      "an object"};
  return kKinds[data_.index()];
}

std::string printable(std::string_view text) {
  static constexpr std::size_t kMost = 60;
  std::string shown;
  std::size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool starts_character = (byte & 0xC0) != 0x80;
    if (starts_character && ++characters > kMost) return shown + "...";
    if (byte < 0x20 || byte == 0x7F) {
      shown += fmt::format("\\u{:04x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string json_pointer(std::string_view where, std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return std::string(where) + "/" + printable(escaped);
}

namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

void write(const JsonValue& value, std::size_t indent, std::string& out);

/// The items of an array or object, a line each, between `open` and `close`.
template <typename Items, typename WriteItem>
void write_items(const Items& items, char open, char close, std::size_t indent, std::string& out,
                 WriteItem write_item) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    write_item(item);
  }
  if (!first) {
    out += '\n';
    out.append(indent, ' ');
  }
  out += close;
}

void write(const JsonValue& value, std::size_t indent, std::string& out) {
  if (const bool* flag = value.if_bool()) {
    out += *flag ? "true" : "false";
  } else if (const std::string* number = value.if_number()) {
    out += *number;
  } else if (const std::string* text = value.if_string()) {
    out += quoted(*text);
  } else if (const JsonValue::Array* items = value.if_array()) {
    write_items(*items, '[', ']', indent, out,
                [&](const JsonValue& item) { write(item, indent + 2, out); });
  } else if (const JsonValue::Object* members = value.if_object()) {
    write_items(*members, '{', '}', indent, out, [&](const JsonValue::Member& member) {
      out += quoted(member.first) + ": ";
      write(member.second, indent + 2, out);
    });
  } else {
    out += "null";
  }
}

}  // namespace

std::string write_json(const JsonValue& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return out;
}

namespace {

template <typename Items, typename WriteItem>
void write_compact_items(const Items& items, char open, char close, std::string& out,
                         WriteItem write_item) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ", ";
    first = false;
    write_item(item);
  }
  out += close;
}

void write_compact(const JsonValue& value, std::string& out) {
  if (const JsonValue::Array* items = value.if_array()) {
    write_compact_items(*items, '[', ']', out,
                        [&](const JsonValue& item) { write_compact(item, out); });
  } else if (const JsonValue::Object* members = value.if_object()) {
    write_compact_items(*members, '{', '}', out, [&](const JsonValue::Member& member) {
      out += quoted(member.first) + ": ";
      write_compact(member.second, out);
    });
  } else {
    write(value, 0, out);
  }
}

}  // namespace

std::string write_json_line(const JsonValue& value) {
  std::string out;
  write_compact(value, out);
  out += '\n';
  return out;
}

}  // namespace smelt
