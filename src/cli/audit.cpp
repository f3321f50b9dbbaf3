#include "smelt/audit.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "io/result_parts.hpp"
#include "smelt/audit_file.hpp"
#include "smelt/error.hpp"
#include "smelt/text_file.hpp"

namespace smelt::cli {
namespace {

Cell budget_cell(const AuditedBudget& budget) {
  if (!budget.ratio) return {budget.mark.empty() ? "?" : "? " + budget.mark, ""};
  const std::string mark = budget.mark.empty() ? "" : " " + budget.mark;
  return {fmt::format("{:.3f}{}{}", *budget.ratio, mark, budget.contradicts ? "!" : ""),
          fmt::format("{}", *budget.ratio)};
}

Document audit_document(const AuditResult& result) {
  const std::vector<ColumnOf<AuditRow>> columns = {
      {{"Study", "", "study", Align::kLeft},
       [](const AuditRow& row) {
         return text_cell(row.pair.empty() ? row.study : "  " + row.pair);
       }},
      {{"FLOPs", "", "flops"}, [](const AuditRow& row) { return budget_cell(row.flops); }},
      {{"Params", "", "params"}, [](const AuditRow& row) { return budget_cell(row.params); }},
      {{"KV", "", "kv"}, [](const AuditRow& row) { return budget_cell(row.kv); }},
  };
  Document document;
  document.heading = {"Looped designs over their own baselines, beside a comparison table's marks"};
  document.tables.push_back(tabulate("audit", "", columns, result.rows));
  document.notes = {"FLOPs: matmul, inject matrices in. Params: matrix weights, no embeddings",
                    "yes, no, partly: the table's mark. !: the figure contradicts the mark",
                    "?: the shape is not known"};
  return document;
}

JsonValue budget_value(const AuditedBudget& budget) {
  JsonValue::Object members;
  members.reserve(3);
  members.emplace_back("ratio", budget.ratio ? to_value(*budget.ratio) : JsonValue());
  if (!budget.mark.empty()) {
    members.emplace_back("mark", to_value(budget.mark));
    members.emplace_back("contradicts", JsonValue::boolean(budget.contradicts));
  }
  return JsonValue::object(std::move(members));
}

std::string audit_json(const AuditResult& result) {
  JsonValue::Array rows;
  for (const AuditRow& row : result.rows) {
    rows.push_back(JsonValue::object({{"study", to_value(row.study)},
                                      {"arxiv", to_value(row.arxiv)},
                                      {"pair", to_value(row.pair)},
                                      {"flops", budget_value(row.flops)},
                                      {"params", budget_value(row.params)},
                                      {"kv", budget_value(row.kv)}}));
  }
  JsonValue::Object members = result_members("audit");
  members.emplace_back("rows", JsonValue::array(std::move(rows)));
  return write_json(JsonValue::object(std::move(members)));
}

class AuditCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "audit"; }
  [[nodiscard]] std::string summary() const override {
    return "Published looped designs against their own baselines";
  }
  [[nodiscard]] std::string example() const override { return "smelt audit"; }

  void declare(Flags& flags) override {
    flags.optional_positional("FILE", file_, "A file of studies (default: the published ones)");
  }

  Answer run(const Presets& presets) override {
    const std::filesystem::path path =
        file_ ? std::filesystem::path(*file_) : presets.find(PresetKind::kStudies, "related");
    AuditResult result;
    try {
      result = audit(read_audit_pairs(read_json_file(path)));
    } catch (const InputError& error) {
      throw error.within(path.string());
    }
    return {0, [result](const Form& form, bool emphasis) {
              return form.table ? render(audit_document(result), *form.table, emphasis)
                                : audit_json(result);
            }};
  }

 private:
  std::optional<std::string> file_;
};

}  // namespace

std::unique_ptr<Command> make_audit_command() { return std::make_unique<AuditCommand>(); }

}  // namespace smelt::cli
