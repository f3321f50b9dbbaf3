#include "smelt/text_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "io/failure.hpp"
#include "io/scratch_folder.hpp"

namespace fs = std::filesystem;

TEST_CASE("a file that cannot be a model file gives one clear line") {
  const ScratchFolder folder("text-file");
  const fs::path empty = folder.write("empty.json", "");
  const fs::path large = folder.write("large.json", "{}");
  fs::resize_file(large, 100'000'000);  // sparse: takes no space
  const fs::path loop = folder.path() / "loop.json";
  fs::create_symlink(loop, loop);
  const fs::path odd = folder.path() / "two\nlines";

  struct Case {
    const char* name;
    fs::path path;
    std::string message;
  };
  const Case cases[] = {
      {"missing", folder.path() / "none.json", ": no such file"},
      {"under a file", empty / "x.json", ": no such file"},
      {"directory", folder.path(), ": is a directory (a file)"},
      {"empty", empty, ": is empty"},
      {"100 MB", large, ": is larger than 16 MiB (a model or rules file is small)"},
      {"symbolic link to itself", loop, ": cannot be read: Too many levels of symbolic links"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(failure([&] { smelt::read_text_file(c.path); }) ==
          smelt::printable(c.path.string()) + c.message);
  }
  CHECK(failure([&] { smelt::read_text_file(odd); }).find('\n') == std::string::npos);
}

TEST_CASE("a device is bounded, and a failing read is reported") {
  if (fs::exists("/dev/zero")) {
    CHECK(failure([] { smelt::read_text_file("/dev/zero"); }) ==
          "/dev/zero: is larger than 16 MiB (a model or rules file is small)");
  }
  if (fs::exists("/proc/self/mem")) {
    CHECK(failure([] { smelt::read_text_file("/proc/self/mem"); }) ==
          "/proc/self/mem: cannot be read: Input/output error");
  }
}

TEST_CASE("a file without read permission is refused") {
  const ScratchFolder folder("unreadable");
  const fs::path file = folder.write("secret.json", "{}");
  fs::permissions(file, fs::perms::none);
  if (std::ifstream(file)) return;  // root reads everything
  CHECK(failure([&] { smelt::read_text_file(file); }) ==
        file.string() + ": cannot be read: Permission denied");
}

TEST_CASE("a stream is read whole and named in errors") {
  std::istringstream text("{\"a\": 1}\n");
  CHECK(smelt::read_text_stream(text, "-") == "{\"a\": 1}\n");
  std::istringstream nothing;
  CHECK(failure([&] { smelt::read_text_stream(nothing, "-"); }) == "-: is empty");
  std::istringstream largest(std::string(smelt::kLargestText, ' '));
  CHECK(smelt::read_text_stream(largest, "-").size() == smelt::kLargestText);
  std::istringstream larger(std::string(smelt::kLargestText + 1, ' '));
  CHECK(failure([&] { smelt::read_text_stream(larger, "-"); }) ==
        "-: is larger than 16 MiB (a model or rules file is small)");
}

TEST_CASE("an error within a JSON file names the file") {
  const ScratchFolder folder("json-file");
  const fs::path file = folder.write("x.json", "[1,]");
  CHECK(failure([&] { smelt::read_json_file(file); }) ==
        file.string() + ": line 1, column 4: unexpected ']' ('[', '{', or a literal)");
}
