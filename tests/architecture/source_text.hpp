#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// One source file of a tree, its path from the tree's root: "src/cost/cost.cpp".
struct SourceFile {
  std::string path;
  std::string text;
};

/// One #include line: the line's number counted from 1, what stands between its quotes or brackets.
struct Include {
  int line = 0;
  std::string target;
};

/// The C++ and CUDA files under include/ and src/, ordered by path.
std::vector<SourceFile> read_sources(const std::filesystem::path& root);

/// `text` with comments and the contents of string and character literals blanked, line breaks and
/// #include lines kept: what is left is what a compiler acts on, at its own line.
std::string code_only(std::string_view text);

/// The #include lines of what code_only left.
std::vector<Include> includes_of(std::string_view code);

/// A class, struct or enumeration defined at namespace level.
struct TypeDefinition {
  int line = 0;
  std::string name;  ///< with its namespaces: "smelt::cli::Flags"
};

/// The named types that a header defines, one namespace at a time and unindented.
std::vector<TypeDefinition> types_defined_in(std::string_view code);

/// The numbers of the lines where `name` stands as a whole name: "printf" in "std::printf(x)", not
/// in "snprintf(x)".
std::vector<int> lines_naming(std::string_view code, std::string_view name);
