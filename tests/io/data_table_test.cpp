#include "smelt/data_table.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "smelt/error.hpp"

using Rows = std::vector<std::vector<std::string>>;

TEST_CASE("CSV is read as RFC 4180 has it") {
  struct Case {
    const char* name;
    const char* text;
    Rows rows;
  };
  const Case cases[] = {
      {"plain", "a,b\n1,2\n3,4\n", {{"1", "2"}, {"3", "4"}}},
      {"no last line end", "a,b\n1,2", {{"1", "2"}}},
      {"DOS line ends", "a,b\r\n1,2\r\n", {{"1", "2"}}},
      {"blank lines", "\na,b\n\n1,2\n\n", {{"1", "2"}}},
      {"comments before the header", "# source: x\na,b\n1,2\n", {{"1", "2"}}},
      {"blanks around values", "a, b\n 1 ,2\n", {{"1", "2"}}},
      {"quotes", "a,b\n\"1,5\",\"say \"\"x\"\"\"\n", {{"1,5", "say \"x\""}}},
      {"a line end in quotes", "a,b\n\"1\n2\",3\n", {{"1\n2", "3"}}},
      {"empty values", "a,b\n,\n", {{"", ""}}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const smelt::DataTable table = smelt::parse_csv(c.text);
    CHECK(table.columns == std::vector<std::string>{"a", "b"});
    CHECK(table.rows == c.rows);
  }
}

TEST_CASE("rows keep the line they stand on") {
  const smelt::DataTable table = smelt::parse_csv("# x\na,b\n\n\"1\n1\",2\n3,4\n");
  CHECK(table.lines == std::vector<std::size_t>{4, 6});
}

TEST_CASE("JSON Lines are read with the first line's keys") {
  const smelt::DataTable table =
      smelt::parse_data_table("{\"N\": 1e9, \"run\": \"a\"}\n\n{\"run\": \"b\", \"N\": 2}\n");
  CHECK(table.columns == std::vector<std::string>{"N", "run"});
  CHECK(table.rows == Rows{{"1e9", "a"}, {"2", "b"}});
  CHECK(table.lines == std::vector<std::size_t>{1, 3});
}

TEST_CASE("faults of a table are named with their line") {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"a,b\n1\n1,2,3\n",
       "line 2: 1 fields (2, as in the header)\nline 3: 3 fields (2, as in the header)"},
      {"a,a\n1,2\n", "line 1: column 'a' stands twice"},
      {"a,\n1,2\n", "line 1: a column has no name (a header first)"},
      {"a,b\n\"1,2\n", "line 2: a quote is not closed (a closing \")"},
      {"a,b\n\"1\"x,2\n", "line 2: text after a closing quote (a comma or the line's end)"},
      {"a,b\n", "there are no rows (a header, then a row a run)"},
      {"{\"a\": 1}\n{\"b\": 1}\n", "line 2: /a: is missing (as in every line)"},
      {"{\"a\": 1}\n{\"a\": 1, \"b\": 2}\n",
       "line 2: has a key that the first line has not (the same keys in every line)"},
      {"{\"a\": true}\n", "line 1: /a: is true or false (a number or a string)"},
      {"{\"a\": 1}\n[1]\n", "line 2: is an array (an object a line)"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK_THROWS_WITH(smelt::parse_data_table(c.text), c.error);
  }
}

TEST_CASE("a column is found by name, or the nearest is offered") {
  const smelt::DataTable table = smelt::parse_csv("params,tokens\n1,2\n");
  CHECK(table.column("tokens") == 1);
  CHECK_THROWS_WITH(table.column("token"),
                    "token: no column of that name (did you mean 'tokens'?)");
}
