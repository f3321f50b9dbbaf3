#include "architecture/include_rules.hpp"

#include <algorithm>

#include "architecture/source_text.hpp"
#include "catch.hpp"

namespace {

/// A small tree that keeps every rule.
std::vector<SourceFile> sound_tree() {
  return {
      {"include/smelt/count.hpp", "#include <cstdint>\n"},
      {"include/smelt/cost.hpp", "#include <vector>\n#include \"smelt/count.hpp\"\n"},
      {"include/smelt/search.hpp", "#include \"smelt/match.hpp\"\n"},
      {"include/smelt/match.hpp", "#include \"smelt/cost.hpp\"\n"},
      {"include/smelt/law.hpp", "namespace smelt {\nclass Law;\nstruct Range {\n};\n}\n"},
      {"include/smelt/table.hpp", ""},
      {"include/smelt/json.hpp", "#include \"smelt/match.hpp\"\n"},
      {"include/smelt/timer.hpp", ""},
      {"src/cost/cost.cpp", "#include \"smelt/cost.hpp\"\n#include <fmt/format.h>\n"},
      {"src/match/grid.hpp", "#include \"smelt/count.hpp\"\n"},
      {"src/match/match.cpp", "#include \"match/grid.hpp\"\n"},
      {"src/search/search.cpp", "#include \"smelt/search.hpp\"\n"},
      {"src/law/law.cpp", "#include <Eigen/Dense>\n"},
      {"src/report/table.cpp", "#include \"smelt/match.hpp\"\n#include <nlohmann/json.hpp>\n"},
      {"src/io/json.cpp", "#include <nlohmann/json.hpp>\n"},
      {"src/bench/timer.cu", "#include <cuda_runtime.h>\n"},
      {"src/cli/flags.hpp", "#include \"smelt/table.hpp\"\n"},
      {"src/cli/cost.cpp", "#include <CLI/CLI.hpp>\nint main() { std::puts(getenv(\"HOME\")); }\n"},
  };
}

/// The violations of the sound tree with one file replaced or added.
std::vector<std::string> violations_with(const SourceFile& planted) {
  std::vector<SourceFile> tree = sound_tree();
  std::erase_if(tree, [&](const SourceFile& file) { return file.path == planted.path; });
  tree.push_back(planted);
  return violations(tree);
}

}  // namespace

TEST_CASE("the sources keep to the architecture") {
  const std::vector<SourceFile> sources = read_sources(SMELT_SOURCE_DIR);
  REQUIRE(std::any_of(sources.begin(), sources.end(),
                      [](const SourceFile& file) { return file.path == "src/core/error.cpp"; }));
  CHECK(violations(sources) == std::vector<std::string>{});
}

TEST_CASE("a sound tree has no violations") {
  CHECK(violations(sound_tree()) == std::vector<std::string>{});
}

TEST_CASE("each planted violation is found at its line") {
  struct Case {
    SourceFile planted;
    std::string found;
  };
  const Case cases[] = {
      {{"src/core/error.cpp", "\n#include \"smelt/cost.hpp\"\n"},
       "src/core/error.cpp:2: core must not include cost (smelt/cost.hpp)"},
      {{"include/smelt/cost.hpp", "#include \"smelt/match.hpp\"\n"},
       "include/smelt/cost.hpp:1: cost must not include match (smelt/match.hpp)"},
      {{"src/law/law.cpp", "#include \"smelt/match.hpp\"\n"},
       "src/law/law.cpp:1: law must not include match (smelt/match.hpp)"},
      {{"src/match/match.cpp", "#include \"smelt/search.hpp\"\n"},
       "src/match/match.cpp:1: match must not include search (smelt/search.hpp)"},
      {{"src/infer/infer.cpp", "#include \"../match/grid.hpp\"\n"},
       "src/infer/infer.cpp:1: infer must not include match (../match/grid.hpp)"},
      {{"src/infer/infer.cpp", "#include <smelt/law.hpp>\n"},
       "src/infer/infer.cpp:1: infer must not include law (smelt/law.hpp)"},
      {{"src/report/table.cpp", "#include \"smelt/json.hpp\"\n"},
       "src/report/table.cpp:1: report must not include io (smelt/json.hpp)"},
      {{"include/smelt/json.hpp", "#include \"cli/flags.hpp\"\n"},
       "include/smelt/json.hpp:1: io must not include cli (cli/flags.hpp)"},
      {{"src/io/json.cpp", "  #  include \"smelt/table.hpp\"\n"},
       "src/io/json.cpp:1: io must not include report (smelt/table.hpp)"},
      {{"src/match/match.cpp", "#include <Eigen/Core>\n"},
       "src/match/match.cpp:1: match must not use Eigen"},
      {{"src/io/json.cpp", "#include <CLI/CLI.hpp>\n"}, "src/io/json.cpp:1: io must not use CLI11"},
      {{"src/cost/cost.cpp", "#include <nlohmann/json.hpp>\n"},
       "src/cost/cost.cpp:1: cost must not use nlohmann/json"},
      {{"src/bench/timer.cu", "#include <Eigen/Core>\n"},
       "src/bench/timer.cu:1: bench must not use Eigen"},
      {{"src/law/law.cpp", "#include <cublas_v2.h>\n"}, "src/law/law.cpp:1: law must not use CUDA"},
      {{"include/smelt/law.hpp", "#include <fmt/format.h>\n"},
       "include/smelt/law.hpp:1: a public header includes fmt/format.h"},
      {{"include/smelt/lonely.hpp", ""},
       "include/smelt/lonely.hpp: no src/PART/NAME.cpp or .cu mirrors it"},
      {{"src/misc/misc.cpp", ""}, "src/misc/misc.cpp: stands in no part (src/PART/...)"},
      {{"src/main.cpp", ""}, "src/main.cpp: stands in no part (src/PART/...)"},
      {{"src/cost/cost.cpp", "/* a\n b */ void f() { std::cout << 1; }\n"},
       "src/cost/cost.cpp:2: std::cout (only the program prints)"},
      {{"src/law/law.cpp", "void f() { std::printf(\"%d\", 1'000); }\n"},
       "src/law/law.cpp:1: printf (only the program prints)"},
      {{"include/smelt/count.hpp", "inline auto home() { return std::getenv(\"HOME\"); }\n"},
       "include/smelt/count.hpp:1: getenv (only the program reads global state)"},
      {{"src/cli/cost.cpp", "auto f() { return std::format(\"\"); }\n"},
       "src/cli/cost.cpp:1: std::format (not every supported compiler has it)"},
      {{"src/match/grid.hpp", "namespace smelt {\nclass Law {\n};\nstruct Range {\n};\n}\n"},
       "src/match/grid.hpp:4: smelt::Range is defined in include/smelt/law.hpp too"},
      {{"src/search/search.cpp", "auto f() { return x | std::views::take(1); }\n"},
       "src/search/search.cpp:1: std::views (not every supported compiler has it)"},
  };
  for (const Case& c : cases) {
    INFO(c.found);
    CHECK(violations_with(c.planted) == std::vector<std::string>{c.found});
  }
}

TEST_CASE("types of one name may stand in two namespaces") {
  const char* text = "namespace smelt::cli {\nstruct Range {\n};\n}\n";
  CHECK(violations_with({"src/cli/flags.hpp", text}) == std::vector<std::string>{});
}

TEST_CASE("what only looks like a violation passes") {
  const char* texts[] = {
      "// std::cout << std::format();\n",
      "/* #include \"smelt/search.hpp\" */\n",
      "const char* help = \"set with getenv, shown by \\\" printf\";\n",
      "const char* raw = R\"x(\n#include \"smelt/search.hpp\"\n)\" printf)x\";\n",
      "int snprintf_count = std::snprintf(buffer, 9, \"%g\", x);\n",
      "template <> struct std::formatter<Count>;\n",
      "char quote = '\"'; int million = 1'000'000; char other = '\\'';  // printf\n",
  };
  for (const char* text : texts) {
    INFO(text);
    CHECK(violations_with({"src/cost/cost.cpp", text}) == std::vector<std::string>{});
  }
}

TEST_CASE("blanking keeps code, includes and line numbers") {
  CHECK(code_only("a; // b\nc;") == "a;     \nc;");
  CHECK(code_only("f(\"x\\\"y\", 'z');") == "f(      ,    );");
  CHECK(code_only("#include \"a/b.hpp\"  // why") == "#include \"a/b.hpp\"        ");
  CHECK(code_only("/* open") == "       ");
  CHECK(code_only("\"open") == "     ");
}
