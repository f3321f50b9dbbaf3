#include "cli/command.hpp"
#include "io/result_parts.hpp"
#include "smelt/error.hpp"
#include "smelt/text_file.hpp"

namespace smelt::cli {
namespace {

struct Entry {
  std::string name;
  std::string title;
};

std::vector<Entry> entries(const Presets& presets) {
  std::vector<Entry> list;
  for (const std::string& name : presets.names(PresetKind::kSchema)) {
    const JsonValue schema = read_json_file(presets.find(PresetKind::kSchema, name));
    const JsonValue* const title = schema.find("title");
    const std::string* const text = title != nullptr ? title->if_string() : nullptr;
    list.push_back({name, text != nullptr ? *text : std::string()});
  }
  return list;
}

Document list_document(const std::vector<Entry>& list) {
  const std::vector<ColumnOf<Entry>> columns = {
      {{"Name", "", "name", Align::kLeft},
       [](const Entry& entry) { return text_cell(entry.name); }},
      {{"What it describes", "", "title", Align::kLeft},
       [](const Entry& entry) { return text_cell(entry.title); }}};
  Document document;
  document.tables.push_back(tabulate("schemas", "", columns, list));
  return document;
}

std::string list_json(const std::vector<Entry>& list) {
  JsonValue::Array items;
  for (const Entry& entry : list) {
    items.push_back(
        JsonValue::object({{"name", to_value(entry.name)}, {"title", to_value(entry.title)}}));
  }
  JsonValue::Object members = result_members("schema");
  members.emplace_back("schemas", JsonValue::array(std::move(items)));
  return write_json(JsonValue::object(std::move(members)));
}

/// The schema called by its file's name or by what a result calls it: "smelt/<command>/1" is
/// <command>-result.
std::string schema_text(const std::string& name, const Presets& presets) {
  const std::vector<std::string> names = presets.names(PresetKind::kSchema);
  for (const std::string& known : names) {
    constexpr std::string_view kResult = "-result";
    const bool is_result = known.ends_with(kResult);
    const std::string called =
        is_result ? "smelt/" + known.substr(0, known.size() - kResult.size()) + "/1" : known;
    if (name == known || name == called) {
      return read_text_file(presets.find(PresetKind::kSchema, known));
    }
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(name, "no schema of that name", near.empty() ? "see smelt schema" : near);
}

class SchemaCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "schema"; }
  [[nodiscard]] std::string summary() const override {
    return "JSON Schemas of the files read and the results printed";
  }
  [[nodiscard]] std::string example() const override { return "smelt schema smelt/cost/1"; }

  void declare(Flags& flags) override {
    flags.optional_positional("NAME", schema_, "Print this schema (default: list all)");
  }

  Answer run(const Presets& presets) override {
    if (schema_) {
      return verbatim(schema_text(*schema_, presets));
    }
    return {0, [list = entries(presets)](const Form& form, bool emphasis) {
              return form.table ? render(list_document(list), *form.table, emphasis)
                                : list_json(list);
            }};
  }

 private:
  std::optional<std::string> schema_;
};

}  // namespace

std::unique_ptr<Command> make_schema_command() { return std::make_unique<SchemaCommand>(); }

}  // namespace smelt::cli
