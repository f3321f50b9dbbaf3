#include "smelt/numbers.hpp"

#include <string>

#include "catch.hpp"
#include "smelt/error.hpp"

using smelt::Rational;

TEST_CASE("numbers are read as people write them, exactly") {
  struct Case {
    const char* text;
    Rational value;
  };
  const Case cases[] = {
      {"0", 0},
      {"1_000", 1000},
      {"32k", 32000},
      {"1.5B", 1500000000},
      {"2T", 2000000000000},
      {"1e9", 1000000000},
      {"0.25", {1, 4}},
      {"1e-3", {1, 1000}},
      {"-4", -4},
      {"448.125", {3585, 8}},
      {"2.50", {5, 2}},
      {"+7", 7},
      {"1E2", 100},
      {"1000000000000000000", 1000000000000000000},
      {"0.10000000000000000000", {1, 10}},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(smelt::parse_number(c.text, "--x") == c.value);
  }
}

TEST_CASE("what is no number or does not fit is refused with its place") {
  for (const char* text :
       {"", "x", "1__0", "_1", "1_", "1e", "nan", "inf", "0x10", "1.2.3", "--1", "1e25",
        "99999999999999999999", "1e400", "1e999999999999", "1 k", "1kk"}) {
    INFO(text);
    CHECK_THROWS_AS(smelt::parse_number(text, "--x"), smelt::InputError);
  }
  CHECK_THROWS_WITH(smelt::parse_count("2.9", "--hidden", 1, 10),
                    "--hidden: 2.9 is not a whole number (a whole number from 1 to 10)");
  CHECK_THROWS_WITH(smelt::parse_count("11", "--hidden", 1, 10),
                    "--hidden: 11 is too large (a whole number from 1 to 10)");
  CHECK_THROWS_WITH(smelt::parse_count("-1", "--hidden", 1, 10),
                    "--hidden: -1 is too small (a whole number from 1 to 10)");
}

TEST_CASE("reals are the nearest double of what is written") {
  struct Case {
    const char* text;
    double value;
  };
  const Case cases[] = {
      {"1e21", 1e21},
      {"9.993852799709755e+18", 9.993852799709755e+18},
      {"0.1", 0.1},
      {"-2.5", -2.5},
      {"0", 0},
      {"1_000.5k", 1000500},
      {"1.4T", 1.4e12},
      {"5.005581996196243", 5.005581996196243},
      {"1e-300", 1e-300},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(smelt::parse_real(c.text, "--x") == c.value);
  }
  for (const char* text : {"", "x", "1e400", "nan", "inf", "0x10", "1,5", "1e309"}) {
    INFO(text);
    CHECK_THROWS_AS(smelt::parse_real(text, "--x"), smelt::InputError);
  }
}

TEST_CASE("fractions take percent signs") {
  CHECK(smelt::parse_fraction("1%", "--tol") == Rational(1, 100));
  CHECK(smelt::parse_fraction("0.01", "--tol") == Rational(1, 100));
  CHECK(smelt::parse_fraction("12.5%", "--tol") == Rational(1, 8));
  CHECK_THROWS_AS(smelt::parse_fraction("-1%", "--tol"), smelt::InputError);
  CHECK_THROWS_AS(smelt::parse_fraction("%", "--tol"), smelt::InputError);
  CHECK_THROWS_AS(smelt::parse_fraction("1e-18%", "--tol"), smelt::InputError);
}

TEST_CASE("numbers are shown as the field prints them") {
  CHECK(smelt::with_separators(3870301440) == "3,870,301,440");
  CHECK(smelt::with_separators(-1234) == "-1,234");
  CHECK(smelt::with_separators(12) == "12");
  CHECK(smelt::with_unit(3.8703e9) == "3.87 B");
  CHECK(smelt::with_unit(392) == "392");
  CHECK(smelt::with_unit(999.6) == "1.00 k");
  CHECK(smelt::with_unit(12480) == "12.5 k");
  CHECK(smelt::signed_percent(0.0288) == "+2.88 %");
  CHECK(smelt::signed_percent(-0.03571, 3) == "-3.571 %");
  CHECK(smelt::percent(0.946) == "94.6");
  CHECK(smelt::to_string(Rational(3585, 8)) == "448.125");
  CHECK(smelt::to_string(Rational(1, 3)) == "1/3");
}
