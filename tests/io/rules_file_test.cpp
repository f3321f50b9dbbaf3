#include "smelt/rules_file.hpp"

#include <random>
#include <string>

#include "catch.hpp"
#include "io/failure.hpp"
#include "smelt/rule_flags.hpp"

using smelt::Axis;
using smelt::Rational;
using smelt::RatioRange;
using smelt::Rules;
using smelt::Tolerance;

namespace {

const Tolerance kPaper{{1, 25}, {1, 100}, {1, 25}};

Rules read(const std::string& text) { return smelt::read_rules(smelt::parse_json(text)); }

/// Rules with the given members besides the tolerance.
std::string rules_with(const std::string& members) {
  return "{" + members + R"(, "tolerance": {"flops": "4%", "params": 0.01, "kv": "4%"}})";
}

}  // namespace

TEST_CASE("the three forms of an axis, and what is left to the problem") {
  const Rules rules = read(rules_with(R"("name": "mine", "description": "for a test",
      "hidden_size": {"min": 64, "max": 1024, "multiple_of": 8}, "num_experts": [64, 32, 64],
      "head_dim": 128, "num_key_value_heads": {}, "ffn_ratio": {"min": 0.85, "max": "115%"},
      "kv_lora_rank": 512, "query_width": "free", "query_ratio": {"max": 1.5})"));
  CHECK(rules.name == "mine");
  CHECK(rules.description == "for a test");
  CHECK(rules.hidden_size == Axis{64, 1024, 8, {}});
  CHECK(rules.num_experts == Axis{{}, {}, 1, {32, 64}});
  CHECK(rules.head_dim == Axis{{}, {}, 1, {128}});
  CHECK(rules.moe_intermediate_size == Axis());
  CHECK(rules.num_key_value_heads == Axis());
  CHECK(rules.ffn_ratio.lowest == Rational(17, 20));
  CHECK(rules.ffn_ratio.highest == Rational(23, 20));
  CHECK(rules.kv_lora_rank == Axis{{}, {}, 1, {512}});
  CHECK_FALSE(rules.query_width_is_hidden);
  CHECK(rules.query_ratio == RatioRange{{}, Rational(3, 2)});
  CHECK(rules.tolerance == kPaper);
  CHECK(read(rules_with(R"("query_width": "hidden")")).query_width_is_hidden);
}

TEST_CASE("every mistake of a rules file has its one line") {
  struct Case {
    const char* members;
    const char* message;
  };
  const Case cases[] = {
      {R"("hidden_size": "64")",
       "/hidden_size: is a string, not a number, a list or a range (64, [64, 128] or {\"min\": 64, "
       "\"max\": 128, \"multiple_of\": 8})"},
      {R"("hidden_size": {"min": 0})",
       "/hidden_size/min: 0 is too small (a whole number from 1 to 1,000,000,000)"},
      {R"("hidden_size": {"min": 64, "max": 8})",
       "/hidden_size: 64 to 8 is an empty range (the smaller bound first)"},
      {R"("hidden_size": {"min": 65, "max": 71, "multiple_of": 8})",
       "/hidden_size: no multiple of 8 lies from 65 to 71 (a wider range or a smaller step)"},
      {R"("hidden_size": {"min": 64, "step": 8})", "/hidden_size/step: unknown key"},
      {R"("head_dim": [])", "/head_dim: is an empty list (at least one value)"},
      {R"("head_dim": [64, "x"])", "/head_dim/1: is a string, not a whole number"},
      {R"("head_dim": [64, 1.5])",
       "/head_dim/1: 1.5 is not a whole number (a whole number from 1 to 1,000,000,000)"},
      {R"("head_size": 64)", "/head_size: unknown key (did you mean 'head_dim'?)"},
      {R"("ffn_ratio": {"min": 1.2, "max": 0.8})",
       "/ffn_ratio: 1.2 to 0.8 is an empty range (the smaller bound first)"},
      {R"("ffn_ratio": {"min": -0.5})", "/ffn_ratio/min: -0.5 is negative (0.01 or 1%)"},
      {R"("ffn_ratio": 0.15)", "/ffn_ratio: is a number, not an object"},
      {R"("query_ratio": {"max": 1.5})",
       "/query_ratio: has no effect where query_width is hidden (\"query_width\": \"free\", or no "
       "ratio)"},
      {R"("query_width": "any")",
       "/query_width: unknown query width 'any' (\"hidden\" or \"free\")"},
  };
  for (const Case& c : cases) {
    INFO(c.members);
    CHECK(failure([&] { read(rules_with(c.members)); }) == c.message);
  }
}

TEST_CASE("a rules file names its three tolerances") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"{}", "/tolerance: is missing"},
      {R"({"tolerence": {}})", "/tolerence: unknown key (did you mean 'tolerance'?)"},
      {R"({"tolerance": 0.04})", "/tolerance: is a number, not an object"},
      {R"({"tolerance": {"flops": 0.04, "kv": true}})",
       "/tolerance/kv: is true or false, not a fraction\n/tolerance/params: is missing"},
      {R"({"tolerance": {"flops": "4 %", "params": 0, "kv": "-1%"}})",
       "/tolerance/flops: '4 ' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)\n"
       "/tolerance/kv: -1 is negative (0.01 or 1%)"},
      {"3", "is a number, not an object ({\"key\": ...})"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(failure([&] { read(c.text); }) == c.message);
  }
}

TEST_CASE("rules that are written read back the same") {
  std::mt19937_64 random(7);
  const auto draw = [&](std::int64_t lowest, std::int64_t highest) {
    return lowest +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(highest - lowest + 1));
  };
  const auto axis = [&] {
    Axis result;
    if (draw(0, 1) == 0) {
      for (std::int64_t value = draw(0, 3), i = draw(0, 4); i > 0; --i) {
        result.values.push_back(value += draw(1, 1000));
      }
      return result;
    }
    result.multiple_of = draw(1, 128);
    if (draw(0, 1) == 1) result.lowest = draw(1, 500);
    if (draw(0, 1) == 1) result.highest = draw(1000, smelt::kLargestAxisValue);
    return result;
  };
  for (int round = 0; round < 2000; ++round) {
    Rules rules;
    if (draw(0, 1) == 1) rules.name = std::to_string(round);
    rules.hidden_size = axis();
    rules.num_experts = axis();
    rules.moe_intermediate_size = axis();
    rules.head_dim = axis();
    rules.num_key_value_heads = axis();
    rules.kv_lora_rank = axis();
    if (draw(0, 1) == 1) rules.ffn_ratio.lowest = Rational(draw(0, 999), 1000);
    if (draw(0, 1) == 1) rules.ffn_ratio.highest = Rational(draw(1000, 9999), 1000);
    rules.query_width_is_hidden = draw(0, 1) == 1;
    const bool bounded = !rules.query_width_is_hidden && draw(0, 1) == 1;
    if (bounded) rules.query_ratio.highest = Rational(draw(1, 3000), 1000);
    rules.tolerance = {{draw(0, 100), 1000}, {draw(0, 1 << 20), 1 << 12}, {draw(0, 3), 1}};
    const std::string text = smelt::write_rules(rules);
    INFO(text);
    CHECK(read(text) == rules);
  }
}

TEST_CASE("an axis in words") {
  struct Case {
    const char* text;
    Axis axis;
  };
  const Case cases[] = {
      {"512", {{}, {}, 1, {512}}},         {"1k", {{}, {}, 1, {1000}}},
      {"96,64,64", {{}, {}, 1, {64, 96}}}, {"64..1280%8", {64, 1280, 8, {}}},
      {"64..1280", {64, 1280, 1, {}}},     {"64..", {64, {}, 1, {}}},
      {"..1280%16", {{}, 1280, 16, {}}},   {"..%8", {{}, {}, 8, {}}},
      {"7..8%8", {7, 8, 8, {}}},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(smelt::parse_axis(c.text, "--hidden") == c.axis);
  }
}

TEST_CASE("what is no axis is refused at its flag") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "--hidden: is empty (give a number)"},
      {"64,", "--hidden: is empty (give a number)"},
      {"x", "--hidden: 'x' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
      {"64-128", "--hidden: '64-128' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
      {"0", "--hidden: 0 is too small (a whole number from 1 to 1,000,000,000)"},
      {"-1..4", "--hidden: -1 is too small (a whole number from 1 to 1,000,000,000)"},
      {"8..4", "--hidden: 8 to 4 is an empty range (the smaller bound first)"},
      {"9..15%8", "--hidden: no multiple of 8 lies from 9 to 15 (a wider range or a smaller step)"},
      {"9..15%", "--hidden: is empty (give a number)"},
      {"9..15%0", "--hidden: 0 is too small (a whole number from 1 to 1,000,000,000)"},
      {"1..2..3", "--hidden: '2..3' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
      {"99999999999",
       "--hidden: 99999999999 is too large (a whole number from 1 to 1,000,000,000)"},
      {"a\nb", "--hidden: 'a\\u000ab' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(failure([&] { smelt::parse_axis(c.text, "--hidden"); }) == c.message);
  }
}

TEST_CASE("a tolerance in words changes the budgets that it names") {
  const auto parse = [](const char* text) { return smelt::parse_tolerance(text, "--tol", kPaper); };
  CHECK(parse("kv=0.1") == Tolerance{{1, 25}, {1, 100}, {1, 10}});
  CHECK(parse("params=2%,flops=0") == Tolerance{0, {1, 50}, {1, 25}});
  CHECK(parse("flops=4%,params=1%,kv=4%") == kPaper);
  const std::string form = " (as in flops=4%,params=1%,kv=4%)";
  CHECK(failure([&] { parse("4%"); }) == "--tol: '4%' names no budget" + form);
  CHECK(failure([&] { parse(""); }) == "--tol: '' names no budget" + form);
  CHECK(failure([&] { parse("flop=4%"); }) == "--tol: 'flop=4%' names no budget" + form);
  CHECK(failure([&] { parse("kv=1%,kv=2%"); }) == "--tol: kv is given twice" + form);
  CHECK(failure([&] { parse("kv=-1%"); }) == "--tol: -1 is negative (0.01 or 1%)");
  CHECK(failure([&] { parse("kv="); }) == "--tol: is empty (give a number)");
}

TEST_CASE("a range of ratios in words") {
  const auto parse = [](const char* text) { return smelt::parse_ratio_range(text, "--ffn-ratio"); };
  CHECK(parse("0.85..1.15") == RatioRange{Rational(17, 20), Rational(23, 20)});
  CHECK(parse("85%..") == RatioRange{Rational(17, 20), {}});
  CHECK(parse("..2") == RatioRange{{}, Rational(2)});
  CHECK(failure([&] { parse("0.85"); }) == "--ffn-ratio: '0.85' is no range (as in 0.85..1.15)");
  CHECK(failure([&] { parse("2..1"); }) ==
        "--ffn-ratio: 2 to 1 is an empty range (the smaller bound first)");
  CHECK(failure([&] { parse("0..0"); }) == "--ffn-ratio: the highest ratio is 0 (above 0)");
}
