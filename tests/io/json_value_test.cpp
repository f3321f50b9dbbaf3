#include "smelt/json_value.hpp"

#include <string>

#include "catch.hpp"
#include "io/failure.hpp"

using smelt::JsonValue;
using smelt::parse_json;

TEST_CASE("numbers keep every digit that they were written with") {
  for (const std::string number :
       {"0", "-1", "18446744073709551615", "9007199254740993", "0.100", "448.125", "1e25", "1E-7",
        "123456789012345678901234567890", "0.1234567890123456789"}) {
    INFO(number);
    const JsonValue value = parse_json(number);
    const std::string* text = value.if_number();
    REQUIRE(text != nullptr);
    CHECK(*text == number);
  }
}

TEST_CASE("objects keep their order, and strings their characters") {
  const JsonValue value = parse_json(R"({"b": [true, null, "é\u00e9\n"], "a": {}, "": -2.50})");
  const JsonValue::Object* members = value.if_object();
  REQUIRE(members != nullptr);
  REQUIRE(members->size() == 3);
  CHECK((*members)[0].first == "b");
  CHECK((*members)[1].first == "a");
  const JsonValue::Array& items = *value.find("b")->if_array();
  CHECK(*items[0].if_bool());
  CHECK(items[1].is_null());
  CHECK(*items[2].if_string() == "éé\n");
  CHECK(*value.find("")->if_number() == "-2.50");
  CHECK(value.find("c") == nullptr);
}

TEST_CASE("what is written reads back the same") {
  const std::string text = R"({
  "a": [
    1,
    -2.50,
    {
      "quote \" and é": "line\nbreak"
    }
  ],
  "none": [],
  "flag": false,
  "null": null
}
)";
  const JsonValue value = parse_json(text);
  CHECK(smelt::write_json(value) == text);
  CHECK(parse_json(smelt::write_json(value)) == value);
}

TEST_CASE("what is not strict JSON is refused in one line") {
  struct Case {
    const char* name;
    std::string text;
    const char* message;
  };
  const Case cases[] = {
      {"empty", "", "is empty (a JSON value)"},
      {"blank", " \n ", "line 2, column 2: unexpected end of input ('[', '{', or a literal)"},
      {"prose", "hello",
       "line 1, column 1: invalid literal (a number, \"string\", true, false, "
       "null, [...] or {...})"},
      {"NaN", "{\"a\": NaN}",
       "line 1, column 7: invalid literal (a number, \"string\", true, "
       "false, null, [...] or {...})"},
      {"minus infinity", "[-Infinity]", "line 1, column 3: invalid number (digit after '-')"},
      {"comment", "[1, // one\n 2]",
       "line 1, column 5: invalid literal (a number, \"string\", "
       "true, false, null, [...] or {...})"},
      {"single quotes", "{'a': 1}",
       "line 1, column 2: invalid literal (a number, \"string\", "
       "true, false, null, [...] or {...})"},
      {"trailing comma", "[1,\n]", "line 2, column 1: unexpected ']' ('[', '{', or a literal)"},
      {"trailing text", "{} 1", "line 1, column 4: unexpected number literal (end of input)"},
      {"second document", "{}{}", "line 1, column 3: unexpected '{' (end of input)"},
      {"cut short", "{\"a\": [1", "line 1, column 9: unexpected end of input (']')"},
      {"leading zero", "[01]", "line 1, column 3: unexpected number literal (']')"},
      {"columns count characters", "[\"éé\" 1]",
       "line 1, column 7: unexpected number literal (']')"},
      {"open string", "\"abc", "line 1, column 5: invalid string: missing closing quote"},
      {"invalid UTF-8", "{\"name\": \"\xff\xfe\"}",
       "line 1, column 11: invalid string: ill-formed UTF-8 byte"},
      {"overlong UTF-8", "\"\xc0\x80\"", "line 1, column 2: invalid string: ill-formed UTF-8 byte"},
      {"lone surrogate", "\"\\ud800\"",
       "line 1, column 8: invalid string: surrogate U+D800..U+DBFF must be followed by "
       "U+DC00..U+DFFF"},
      {"byte order mark", "\xef\xbb\xbf{}",
       "line 1, column 1: a byte order mark (UTF-8 without one)"},
      {"UTF-16", std::string("{\0}\0", 4), "line 1, column 2: a NUL byte (UTF-8 text)"},
      {"NUL at the end", std::string("{}\0x", 4), "line 1, column 3: a NUL byte (UTF-8 text)"},
      {"key twice", R"({"a": {"b/c": 1, "b/c": 2}})", "/a/b~1c: the key is given twice (keep one)"},
      {"key twice in a list", R"([0, {"k": 1, "k": 1}])",
       "/1/k: the key is given twice (keep one)"},
      {"beyond a double", R"({"a": [0, 1e400]})",
       "/a/1: 1e400 is out of range (at most 18 digits, and below 9.2e18)"},
      {"a very long number", "[" + std::string(200, '7') + "]",
       "/0: a number of 200 characters (at most 100)"},
      {"newline in a key", R"({"a\nb": 1, "a\nb": 2})",
       R"(/a\u000ab: the key is given twice (keep one))"},
      {"101 levels", std::string(101, '[') + std::string(101, ']'),
       "is nested too deeply (at most 100 levels)"},
      {"a million levels", std::string(1'000'000, '['),
       "is nested too deeply (at most 100 levels)"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(failure([&] { parse_json(c.text); }) == c.message);
  }
}

TEST_CASE("the deepest nesting is read") {
  const std::string text = std::string(100, '[') + std::string(100, ']');
  CHECK(parse_json(text).if_array() != nullptr);
}

TEST_CASE("text from a user is made fit for one line") {
  CHECK(smelt::printable("a\n\x1b[31m\x7f é") == "a\\u000a\\u001b[31m\\u007f é");
  CHECK(smelt::printable(std::string(61, 'x')) == std::string(60, 'x') + "...");
}
