// docs/models.md against the families that the program knows.
#include <fstream>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "smelt/hf_config.hpp"

namespace {

std::string models_page() {
  std::ifstream file(SMELT_SOURCE_DIR "/docs/models.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The section of a family, up to the next one.
std::string section_of(const std::string& page, const std::string& family) {
  const std::size_t start = page.find("\n### " + family + "\n");
  if (start == std::string::npos) return {};
  return page.substr(start, page.find("\n### ", start + 1) - start);
}

}  // namespace

TEST_CASE("docs/models.md has every family with its names, quirks, keys and source") {
  const std::string page = models_page();
  for (const smelt::HfFamily& family : smelt::hf_families()) {
    INFO(family.name);
    const std::string section = section_of(page, family.name);
    const auto says = [&](const std::string& text) {
      INFO(text);
      CHECK(section.find(text) != std::string::npos);
    };
    for (const std::string& type : family.model_types) says("`" + type + "`");
    for (const std::string& architecture : family.architectures) says(architecture);
    says(family.quirks.substr(1));  // its first letter is a capital there
    says("- source: " + family.source);
    for (const smelt::HfKey& key : smelt::hf_family_keys(family.name)) {
      says(key.rule == "required" ? "`" + key.name + "`" : "`" + key.name + "` (" + key.rule + ")");
    }
  }
}
