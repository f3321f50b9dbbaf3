#include <string>

#include "catch.hpp"
#include "smelt/error.hpp"
#include "smelt/printed_table.hpp"

using smelt::PrintedKind;
using smelt::Rational;

TEST_CASE("the digits of a figure say what rounds to it") {
  struct Case {
    const char* printed;
    Rational lowest;
    Rational highest;
  };
  const Case cases[] = {
      {"0.10", {95, 1000}, {105, 1000}},
      {"0.1", {5, 100}, {15, 100}},
      {"0.10B", 95'000'000, 105'000'000},
      {"1.33e9", 1'325'000'000, 1'335'000'000},
      {"94.7%", {9465, 10000}, {9475, 10000}},
      {"0.0%", {-5, 10000}, {5, 10000}},
      {"17", {33, 2}, {35, 2}},
      {"1_000k", 999'500, 1'000'500},
  };
  for (const Case& c : cases) {
    INFO(c.printed);
    const smelt::PrintedFigure figure =
        smelt::printed_figure(PrintedKind::kTotalParams, c.printed, "");
    CHECK(figure.lowest == c.lowest);
    CHECK(figure.highest == c.highest);
    CHECK(figure.printed == c.printed);
  }
}

TEST_CASE("a figure that is no number, or is negative, is refused") {
  CHECK_THROWS_AS(smelt::printed_figure(PrintedKind::kSparsity, "some", "x"), smelt::InputError);
  CHECK_THROWS_AS(smelt::printed_figure(PrintedKind::kSparsity, "-1%", "x"), smelt::InputError);
  CHECK_THROWS_AS(smelt::printed_figure(PrintedKind::kSparsity, "", "x"), smelt::InputError);
}
