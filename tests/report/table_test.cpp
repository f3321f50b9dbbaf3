// Every form of one document, pinned line by line.
#include "smelt/table.hpp"

#include <locale>
#include <string>
#include <vector>

#include "catch.hpp"

using smelt::Align;
using smelt::TableFormat;

namespace {

struct Design {
  std::string name;
  smelt::Count params;
  double deviation = 0;
};

/// Awkward on purpose: signs that each form has to escape, wide and combining letters, a negative
/// number, a total.
smelt::Document awkward_document() {
  const std::vector<smelt::ColumnOf<Design>> columns = {
      {{"Design", "", "design", Align::kLeft},
       [](const Design& design) { return smelt::text_cell(design.name); }},
      {{"Params", "count", "params"},
       [](const Design& design) { return smelt::count_cell(design.params); }},
      {{"About", "", "rounded"},
       [](const Design& design) { return smelt::rounded_cell(design.params); }},
      {{"Off", "", "deviation"},
       [](const Design& design) { return smelt::signed_percent_cell(design.deviation); }},
  };
  const std::vector<Design> designs = {{"plain", 3'870'301'440, 0.028751},
                                       {"a,\"b\"|c_d%", 1, -0.005},
                                       {"Ünï 模型 e\xCC\x81", -1234, 0}};
  smelt::Document document;
  document.heading = {"Heading & more"};
  document.tables = {smelt::tabulate("designs", "50 % of them", columns, designs)};
  document.tables[0].rows.back().after_rule = true;
  document.notes = {"A note with *stars*"};
  return document;
}

struct Golden {
  const char* name;
  TableFormat format;
  const char* expected;
};

const Golden kGolden[] = {
    {"text", TableFormat::kText,
     "Heading & more\n"
     "\n"
     "50 % of them\n"
     "Design             Params    About      Off\n"
     "                    count\n"
     "----------  -------------  -------  -------\n"
     "plain       3,870,301,440   3.87 B  +2.88 %\n"
     "a,\"b\"|c_d%              1        1  -0.50 %\n"
     "----------  -------------  -------  -------\n"
     "Ünï 模型 e\xCC\x81         -1,234  -1.23 k   0.00 %\n"
     "\n"
     "A note with *stars*\n"},
    {"csv", TableFormat::kCsv,
     "design,params,rounded,deviation\r\n"
     "plain,3870301440,3870301440,0.028751\r\n"
     "\"a,\"\"b\"\"|c_d%\",1,1,-0.005\r\n"
     "Ünï 模型 e\xCC\x81,-1234,-1234,0\r\n"},
    {"markdown", TableFormat::kMarkdown,
     "Heading & more\n"
     "\n"
     "**50 % of them**\n"
     "\n"
     "| Design | Params (count) | About | Off |\n"
     "| --- | ---: | ---: | ---: |\n"
     "| plain | 3,870,301,440 | 3.87 B | +2.88 % |\n"
     "| a,\"b\"\\|c_d% | 1 | 1 | -0.50 % |\n"
     "| Ünï 模型 e\xCC\x81 | -1,234 | -1.23 k | 0.00 % |\n"
     "\n"
     "A note with \\*stars\\*\n"},
    {"latex", TableFormat::kLatex,
     "% Needs \\usepackage{booktabs}.\n"
     "% Heading & more\n"
     "% 50 % of them\n"
     "\\begin{tabular}{lrrr}\n"
     "  \\toprule\n"
     "  Design & Params & About & Off \\\\\n"
     "   & count &  &  \\\\\n"
     "  \\midrule\n"
     "  plain & 3,870,301,440 & 3.87 B & +2.88 \\% \\\\\n"
     "  a,\"b\"|c\\_d\\% & 1 & 1 & $-$0.50 \\% \\\\\n"
     "  \\midrule\n"
     "  Ünï 模型 e\xCC\x81 & $-$1,234 & $-$1.23 k & 0.00 \\% \\\\\n"
     "  \\bottomrule\n"
     "\\end{tabular}\n"
     "% A note with *stars*\n"},
};

/// A locale of commas, as 1.234,50.
class CommaPunctuation : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("every form of a document") {
  for (const Golden& golden : kGolden) {
    INFO(golden.name);
    CHECK(smelt::render(awkward_document(), golden.format) == golden.expected);
  }
}

TEST_CASE("no form depends on the locale") {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  for (const Golden& golden : kGolden) {
    INFO(golden.name);
    CHECK(smelt::render(awkward_document(), golden.format) == golden.expected);
  }
  std::locale::global(before);
}

TEST_CASE("emphasis sets the header of the text form in bold and nothing else") {
  const std::string plain = smelt::render(awkward_document(), TableFormat::kText);
  std::string bold = smelt::render(awkward_document(), TableFormat::kText, true);
  for (const std::string sequence : {"\x1b[1m", "\x1b[0m"}) {
    const std::size_t at = bold.find(sequence);
    REQUIRE(at != std::string::npos);
    bold.erase(at, sequence.size());
  }
  CHECK(bold == plain);
  for (const TableFormat format :
       {TableFormat::kCsv, TableFormat::kMarkdown, TableFormat::kLatex}) {
    CHECK(smelt::render(awkward_document(), format, true) ==
          smelt::render(awkward_document(), format));
  }
}

TEST_CASE("several tables become one CSV table over all their keys") {
  smelt::Document document;
  smelt::Table first{"first", "", {{"A", "", "a"}, {"B", "", "b"}}, {}};
  first.rows = {{{smelt::text_cell("1"), smelt::text_cell("2")}}};
  smelt::Table second{"second", "", {{"B", "", "b"}, {"C", "", "c"}}, {}};
  second.rows = {{{smelt::text_cell("3"), smelt::text_cell("4")}}};
  document.tables = {first, second};
  CHECK(smelt::render(document, TableFormat::kCsv) ==
        "table,a,b,c\r\nfirst,1,2,\r\nsecond,,3,4\r\n");
}

TEST_CASE("CSV quotes as RFC 4180 says") {
  const std::string fields[][2] = {
      {"a", "a"}, {"a,b", "\"a,b\""}, {"say \"hi\"", "\"say \"\"hi\"\"\""}, {"a\nb", "\"a\nb\""}};
  for (const auto& [field, quoted] : fields) {
    smelt::Document document;
    document.tables = {{"t", "", {{"A", "", "a"}}, {{{smelt::text_cell(field)}}}}};
    CHECK(smelt::render(document, TableFormat::kCsv) == "a\r\n" + quoted + "\r\n");
  }
}

TEST_CASE("LaTeX escapes its special characters") {
  smelt::Document document;
  document.tables = {
      {"t", "", {{"A", "", "a", Align::kLeft}}, {{{smelt::text_cell("\\ ~ ^ & % $ # _ { }")}}}}};
  const std::string escaped =
      "\\textbackslash{} \\textasciitilde{} \\textasciicircum{} \\& \\% \\$ \\# \\_ \\{ \\} \\\\";
  CHECK(smelt::render(document, TableFormat::kLatex).find(escaped) != std::string::npos);
}

TEST_CASE("a name cannot steer the terminal") {
  smelt::Document document;
  document.tables = {
      {"t", "", {{"A", "", "a", Align::kLeft}}, {{{smelt::text_cell("x\x1b[31m\ny")}}}}};
  CHECK(smelt::render(document, TableFormat::kText) == "A\n--------\nx?[31m?y\n");
}

TEST_CASE("long lines wrap at blanks to 80 columns") {
  smelt::Document document;
  document.notes = {std::string(40, 'a') + " " + std::string(39, 'b') + " " + std::string(90, 'c') +
                    " d"};
  CHECK(smelt::render(document, TableFormat::kText) ==
        std::string(40, 'a') + " " + std::string(39, 'b') + "\n" + std::string(90, 'c') + "\nd\n");
}

smelt::Document named_number(const std::string& name, const std::string& digits) {
  smelt::Document document;
  document.tables = {{"t",
                      "",
                      {{"Name", "", "name", Align::kLeft}, {"N", "", "n"}},
                      {{{smelt::text_cell(name), smelt::text_cell(digits)}}}}};
  return document;
}

TEST_CASE("a table wider than 80 columns breaks its text, never its numbers") {
  struct Case {
    const char* what;
    std::string name;
    std::size_t digits;
    std::string expected;  // of the rows
  };
  const auto nines = [](std::size_t digits) { return std::string(digits, '9'); };
  const Case cases[] = {
      {"80 columns stay", std::string(8, 'a'), 70, "aaaaaaaa  " + nines(70) + "\n"},
      {"behind a hyphen", "one-two-three", 70, "one-two-  " + nines(70) + "\nthree\n"},
      {"at a blank", "one two three", 69, "one two    " + nines(69) + "\nthree\n"},
      {"at a blank behind the last column", "deadbeef three", 70,
       "deadbeef  " + nines(70) + "\nthree\n"},
      {"within a word", "abcdefghijk", 70, "abcdefgh  " + nines(70) + "\nijk\n"},
      {"between wide signs", "模型模型模型", 69, "模型模型   " + nines(69) + "\n模型\n"},
      {"numbers too wide", "one-two", 90, "one-two  " + nines(90) + "\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string text = render(named_number(c.name, nines(c.digits)), TableFormat::kText);
    CHECK(text.substr(text.rfind("-\n") + 2) == c.expected);
  }
}

TEST_CASE("display width") {
  const struct {
    const char* text;
    std::size_t width;
  } cases[] = {{"", 0},
               {"abc", 3},
               {"Ünï", 3},
               {"模型", 4},
               {"한국", 4},
               {"e\xCC\x81", 1},
               {"\xF0\x9F\xA7\xAA", 2},
               {"−1", 2},
               {"\xFF", 1},
               {"\xE6\xA8", 1}};
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(smelt::display_width(c.text) == c.width);
  }
}
