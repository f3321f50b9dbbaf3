#include "architecture/include_rules.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

namespace {

using Names = std::set<std::string, std::less<>>;

/// A part of the library and the parts that it may stand on.
struct Part {
  std::string name;
  Names below;
};

/// From the bottom to the top.
const std::vector<Part> kParts = {
    {"core", {}},
    {"model", {"core"}},
    {"cost", {"core", "model"}},
    {"match", {"core", "model", "cost"}},
    {"search", {"core", "model", "cost", "match"}},
    {"infer", {"core", "model", "cost"}},
    {"law", {"core", "model", "cost"}},
    {"bench", {"core", "model", "cost"}},
    {"report", {"core", "model", "cost", "match", "search", "infer", "law", "bench"}},
    {"io", {"core", "model", "cost", "match", "search", "infer", "law", "bench"}},
    {"cli", {"core", "model", "cost", "match", "search", "infer", "law", "bench", "report", "io"}},
};

/// Public headers that need no source file, and the part that each belongs to.
struct HeaderOnly {
  std::string_view header;
  std::string_view part;
};
constexpr HeaderOnly kHeaderOnly[] = {
    {"cost", "cost"},  // the whole part in one include
    {"count", "core"},
    {"host_device", "core"},
    {"layer_shape", "bench"},
    {"operator_kind", "cost"},
    {"result_document", "report"},  // a source for each result
    {"result_json", "io"},          // a source for each result
    {"rules", "match"},
    {"tiles", "cost"},
};

/// A third-party library by the start of its headers' names, and the parts that may know it.
struct Library {
  std::string_view name;
  std::vector<std::string_view> headers;
  Names parts;
};
const std::vector<Library> kLibraries = {
    {"Eigen", {"Eigen/", "unsupported/Eigen/"}, {"law", "bench"}},
    {"CLI11", {"CLI/"}, {"cli"}},
    {"nlohmann/json", {"nlohmann/"}, {"io", "report"}},
    {"oneDNN", {"oneapi/dnnl/", "dnnl"}, {"bench"}},
    {"CUDA", {"cuda", "cublas", "cub/", "cooperative_groups"}, {"bench"}},
};

/// A name that the parts may not use, all of them or all but the program.
struct Forbidden {
  std::string_view name;
  std::string_view reason;
  bool allowed_in_cli;
};
constexpr std::string_view kPrints = "only the program prints";
constexpr std::string_view kGlobalState = "only the program reads global state";
constexpr std::string_view kUnsupported = "not every supported compiler has it";
constexpr Forbidden kForbidden[] = {
    {"std::cout", kPrints, true},
    {"std::cerr", kPrints, true},
    {"std::clog", kPrints, true},
    {"printf", kPrints, true},
    {"fprintf", kPrints, true},
    {"puts", kPrints, true},
    {"fputs", kPrints, true},
    {"putchar", kPrints, true},
    {"perror", kPrints, true},
    {"fmt::print", kPrints, true},
    {"fmt::println", kPrints, true},
    {"getenv", kGlobalState, true},
    {"secure_getenv", kGlobalState, true},
    {"current_path", kGlobalState, true},
    {"std::views", kUnsupported, false},
    {"std::ranges::views", kUnsupported, false},
    {"std::format", kUnsupported, false},
};

const Part* part_named(std::string_view name) {
  const auto found = std::find_if(kParts.begin(), kParts.end(),
                                  [&](const Part& part) { return part.name == name; });
  return found == kParts.end() ? nullptr : &*found;
}

bool is_cuda(std::string_view path) { return path.ends_with(".cu") || path.ends_with(".cuh"); }

constexpr std::string_view kPublic = "include/smelt/";

/// The files of one tree and what is found about them.
class Checker {
 public:
  explicit Checker(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) paths_.insert(file.path);
  }

  void check(const SourceFile& file) {
    const bool is_public = file.path.starts_with(kPublic);
    const Part* part = part_of(file.path);
    if (part == nullptr) {
      found_.push_back(file.path + (is_public ? ": no src/PART/NAME.cpp or .cu mirrors it"
                                              : ": stands in no part (src/PART/...)"));
      return;
    }
    const std::string code = code_only(file.text);
    for (const Include& include : includes_of(code)) {
      check_arrow(file, *part, include);
      check_library(file, *part, include);
    }
    check_names(file, *part, code);
    if (file.path.ends_with(".hpp")) check_types(file, code);
  }

  std::vector<std::string> take_found() { return std::move(found_); }

 private:
  /// The part that a file belongs to; a public header belongs to its mirror's. Null for none.
  [[nodiscard]] const Part* part_of(std::string_view path) const {
    if (!path.starts_with(kPublic)) {
      const std::size_t start = std::string_view("src/").size();
      if (!path.starts_with("src/") || path.find('/', start) == std::string_view::npos) {
        return nullptr;
      }
      return part_named(path.substr(start, path.find('/', start) - start));
    }
    const std::string stem = std::filesystem::path(path).stem().string();
    for (const HeaderOnly& known : kHeaderOnly) {
      if (known.header == stem) return part_named(known.part);
    }
    for (const Part& part : kParts) {
      const std::string mirror = "src/" + part.name + "/" + stem;
      const bool mirrors = paths_.contains(mirror + ".cpp") || paths_.contains(mirror + ".cu");
      if (mirrors && part.name != "cli") return &part;
    }
    return nullptr;
  }

  /// The tree's file that an include names, or "" for a header from elsewhere.
  [[nodiscard]] std::string resolve(const SourceFile& file, const Include& include) const {
    const auto beside = std::filesystem::path(file.path).parent_path() / include.target;
    for (const std::string& path : {beside.lexically_normal().generic_string(),
                                    "include/" + include.target, "src/" + include.target}) {
      if (paths_.contains(path)) return path;
    }
    return {};
  }

  void check_arrow(const SourceFile& file, const Part& part, const Include& include) {
    const std::string path = resolve(file, include);
    if (path.empty()) return;
    const Part* target = part_of(path);
    if (target == nullptr || target == &part || part.below.contains(target->name)) return;
    report(file, include.line,
           part.name + " must not include " + target->name + " (" + include.target + ")");
  }

  void check_library(const SourceFile& file, const Part& part, const Include& include) {
    if (file.path.starts_with(kPublic) && resolve(file, include).empty() &&
        include.target.find_first_of("./") != std::string::npos) {
      report(file, include.line, "a public header includes " + include.target);
    }
    for (const Library& library : kLibraries) {
      const bool its_header =
          std::any_of(library.headers.begin(), library.headers.end(),
                      [&](std::string_view start) { return include.target.starts_with(start); });
      if (!its_header || !resolve(file, include).empty()) continue;
      const bool no_place_in_cuda = is_cuda(file.path) && library.name != "CUDA";
      if (!library.parts.contains(part.name) || no_place_in_cuda) {
        report(file, include.line, part.name + " must not use " + std::string(library.name));
      }
    }
  }

  void check_names(const SourceFile& file, const Part& part, std::string_view code) {
    for (const Forbidden& forbidden : kForbidden) {
      if (forbidden.allowed_in_cli && part.name == "cli") continue;
      for (const int line : lines_naming(code, forbidden.name)) {
        report(file, line,
               std::string(forbidden.name) + " (" + std::string(forbidden.reason) + ")");
      }
    }
  }

  /// Two types of one name are one type to the linker, which keeps either's functions for both.
  void check_types(const SourceFile& file, std::string_view code) {
    for (const TypeDefinition& type : types_defined_in(code)) {
      const auto [first, is_new] = types_.emplace(type.name, file.path);
      if (!is_new) {
        report(file, type.line, type.name + " is defined in " + first->second + " too");
      }
    }
  }

  void report(const SourceFile& file, int line, const std::string& what) {
    found_.push_back(file.path + ":" + std::to_string(line) + ": " + what);
  }

  Names paths_;
  std::map<std::string, std::string> types_;  ///< the header that defines each
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
  Checker checker(files);
  for (const SourceFile& file : files) checker.check(file);
  return checker.take_found();
}
