#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "io/result_parts.hpp"
#include "smelt/hf_config.hpp"

namespace smelt::cli {
namespace {

std::string types_of(const HfFamily& family) {
  std::vector<std::string> types = {family.name};
  types.insert(types.end(), family.model_types.begin(), family.model_types.end());
  types.insert(types.end(), family.wrappers.begin(), family.wrappers.end());
  return fmt::format("{}", fmt::join(types, ", "));
}

Document list_document(const std::vector<HfFamily>& families) {
  const std::vector<ColumnOf<HfFamily>> columns = {
      {{"Family", "", "family", Align::kLeft},
       [](const HfFamily& family) { return text_cell(types_of(family)); }},
  };
  Document document;
  document.tables.push_back(tabulate("families", "", columns, families));
  for (const HfFamily& family : families) {
    document.notes.push_back(fmt::format("{}: {}", family.name, family.quirks));
  }
  document.notes.emplace_back("smelt families NAME lists the keys that a family reads");
  return document;
}

Document family_document(const HfFamily& family) {
  const std::vector<ColumnOf<HfKey>> columns = {
      {{"Key", "", "key", Align::kLeft}, [](const HfKey& key) { return text_cell(key.name); }},
      {{"Where absent", "", "rule", Align::kLeft},
       [](const HfKey& key) { return text_cell(key.rule); }},
  };
  Document document;
  document.heading = {fmt::format("model_type {}", types_of(family)), family.quirks};
  document.tables.push_back(tabulate("keys", "", columns, hf_family_keys(family.name)));
  for (const HfKey& key : hf_family_keys(family.name)) {
    const std::vector<std::string> aliases = hf_key_aliases(key.name);
    if (aliases.empty()) continue;
    document.notes.push_back(fmt::format("{}: also {}", key.name, fmt::join(aliases, ", ")));
  }
  document.notes.push_back("Source: " + family.source);
  return document;
}

JsonValue texts_value(const std::vector<std::string>& texts) {
  JsonValue::Array items;
  for (const std::string& text : texts) items.push_back(to_value(text));
  return JsonValue::array(std::move(items));
}

JsonValue family_value(const HfFamily& family) {
  JsonValue::Array keys;
  for (const HfKey& key : hf_family_keys(family.name)) {
    keys.push_back(JsonValue::object({{"key", to_value(key.name)},
                                      {"rule", to_value(key.rule)},
                                      {"aliases", texts_value(hf_key_aliases(key.name))}}));
  }
  return JsonValue::object({{"name", to_value(family.name)},
                            {"model_types", texts_value(family.model_types)},
                            {"wrappers", texts_value(family.wrappers)},
                            {"architectures", texts_value(family.architectures)},
                            {"quirks", to_value(family.quirks)},
                            {"source", to_value(family.source)},
                            {"keys", JsonValue::array(std::move(keys))}});
}

std::string families_json(const std::vector<HfFamily>& families) {
  JsonValue::Array items;
  for (const HfFamily& family : families) items.push_back(family_value(family));
  JsonValue::Object members = result_members("families");
  members.emplace_back("families", JsonValue::array(std::move(items)));
  return write_json(JsonValue::object(std::move(members)));
}

class FamiliesCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "families"; }
  [[nodiscard]] std::string summary() const override {
    return "The families of Hugging Face configs that are read, and their keys";
  }
  [[nodiscard]] std::string example() const override { return "smelt families qwen3_moe"; }

  void declare(Flags& flags) override {
    flags.optional_positional("NAME", name_, "One family, with its keys");
  }

  Answer run(const Presets&) override {
    std::vector<HfFamily> families = hf_families();
    if (name_) families = {hf_family(*name_)};
    const bool one = name_.has_value();
    return {0, [families, one](const Form& form, bool emphasis) {
              if (!form.table) return families_json(families);
              return render(one ? family_document(families.front()) : list_document(families),
                            *form.table, emphasis);
            }};
  }

 private:
  std::optional<std::string> name_;
};

}  // namespace

std::unique_ptr<Command> make_families_command() { return std::make_unique<FamiliesCommand>(); }

}  // namespace smelt::cli
