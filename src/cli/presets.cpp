#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.hpp"
#include "io/result_parts.hpp"
#include "smelt/data_table.hpp"
#include "smelt/error.hpp"
#include "smelt/text_file.hpp"

namespace smelt::cli {
namespace {

struct Entry {
  PresetKind kind = PresetKind::kModel;
  std::string name;
  std::string about;
};

struct Kind {
  PresetKind kind;
  const char* key;
  const char* title;
};

constexpr Kind kKinds[] = {{PresetKind::kModel, "models", "Models"},
                           {PresetKind::kRules, "rules", "Rules (smelt match --rules)"},
                           {PresetKind::kGrid, "grids", "Grids"},
                           {PresetKind::kSpace, "spaces", "Design spaces (smelt search)"},
                           {PresetKind::kHardware, "hardware", "Devices (smelt time --device)"},
                           {PresetKind::kLaw, "laws", "Loss laws (smelt law)"},
                           {PresetKind::kData, "data", "Runs (smelt law fit, smelt sweep)"}};

std::string model_about(const Model& model) {
  std::int64_t experts = 0;
  for (const Layer& layer : model.layers) experts = std::max(experts, layer.ffn.num_experts);
  std::string text = fmt::format("H {}, {} layers", model.hidden_size, model.num_layers());
  if (experts > 0) text += fmt::format(", {} experts", experts);
  if (!loop_spans(model).empty()) text += fmt::format(", loop {}", loop_text(model));
  return text;
}

/// The first clause of a description.
std::string first_clause(const std::string& text) {
  return text.substr(0, text.find_first_of(".;:"));
}

std::string data_about(const std::filesystem::path& path) {
  const DataTable table = read_data_table(path);
  return fmt::format("{} runs: {}", table.rows.size(), fmt::join(table.columns, ", "));
}

std::string about(PresetKind kind, const std::string& name, const Presets& presets) {
  switch (kind) {
    case PresetKind::kModel:
      return model_about(presets.model(name));
    case PresetKind::kRules:
      return first_clause(presets.rules(name).description);
    case PresetKind::kGrid:
      return first_clause(presets.grid(name).description);
    case PresetKind::kHardware:
      return presets.hardware(name).description;
    case PresetKind::kSpace:
      return first_clause(presets.space(name).description);
    case PresetKind::kLaw:
      return first_clause(presets.law(name).description);
    case PresetKind::kData:
      return data_about(presets.find(kind, name));
    case PresetKind::kStudies:
    case PresetKind::kSchema:
      break;
  }
  return {};
}

std::vector<Entry> entries_of(PresetKind kind, const Presets& presets) {
  std::vector<Entry> entries;
  for (const std::string& name : presets.names(kind)) {
    entries.push_back({kind, name, about(kind, name, presets)});
  }
  return entries;
}

Document list_document(const Presets& presets) {
  const std::vector<ColumnOf<Entry>> columns = {
      {{"Name", "", "name", Align::kLeft},
       [](const Entry& entry) { return text_cell(entry.name); }},
      {{"What it is", "", "about", Align::kLeft},
       [](const Entry& entry) { return text_cell(entry.about); }}};
  Document document;
  for (const Kind& kind : kKinds) {
    document.tables.push_back(
        tabulate(kind.key, kind.title, columns, entries_of(kind.kind, presets)));
  }
  return document;
}

std::string list_json(const Presets& presets) {
  JsonValue::Object members = result_members("presets");
  for (const Kind& kind : kKinds) {
    JsonValue::Array items;
    for (const Entry& entry : entries_of(kind.kind, presets)) {
      items.push_back(
          JsonValue::object({{"name", to_value(entry.name)}, {"about", to_value(entry.about)}}));
    }
    members.emplace_back(kind.key, JsonValue::array(std::move(items)));
  }
  return write_json(JsonValue::object(std::move(members)));
}

/// The file of a preset of any kind, by its name or by KIND/NAME where two kinds share it.
std::string preset_text(const std::string& name, const Presets& presets) {
  std::vector<std::string> known;
  for (const Kind& kind : kKinds) {
    const std::vector<std::string> names = presets.names(kind.kind);
    for (const std::string& own : names) {
      if (name == own || name == std::string(kind.key) + "/" + own) {
        return read_text_file(presets.find(kind.kind, own));
      }
    }
    known.insert(known.end(), names.begin(), names.end());
  }
  const std::string near = did_you_mean(name, known);
  throw InputError(name, "no preset of that name", near.empty() ? "see smelt presets" : near);
}

class PresetsCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "presets"; }
  [[nodiscard]] std::string summary() const override {
    return "The models, rules, grids and devices that come with the program";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt presets smelt-200m-s95 > my-model.json";
  }

  void declare(Flags& flags) override {
    flags.optional_positional("NAME", preset_,
                              "Print this preset's file, or KIND/NAME (default: list all)");
  }

  Answer run(const Presets& presets) override {
    if (preset_) return verbatim(preset_text(*preset_, presets));
    return {0, [presets](const Form& form, bool emphasis) {
              return form.table ? render(list_document(presets), *form.table, emphasis)
                                : list_json(presets);
            }};
  }

 private:
  std::optional<std::string> preset_;
};

}  // namespace

std::unique_ptr<Command> make_presets_command() { return std::make_unique<PresetsCommand>(); }

}  // namespace smelt::cli
