#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/flags.hpp"
#include "smelt/presets.hpp"
#include "smelt/result_document.hpp"
#include "smelt/result_json.hpp"

namespace smelt::cli {

/// The form of a result; `table` of none is JSON.
struct Form {
  std::string name;
  std::optional<TableFormat> table;
};

/// What a command found: its exit status, and its result in whatever form is asked for.
struct Answer {
  int status = 0;
  /// Throws InputError for a form that the result does not have. `emphasis` as in render().
  std::function<std::string(const Form& form, bool emphasis)> text;
};

/// A result that to_json and to_document know.
template <typename Result>
Answer answer(Result result, int status = 0) {
  return {status, [result = std::move(result)](const Form& form, bool emphasis) {
            return form.table ? render(to_document(result), *form.table, emphasis)
                              : to_json(result);
          }};
}

/// A JSON file as it stands, in the forms table and json.
Answer verbatim(std::string json);

/// One subcommand. It declares its flags into its own members, then runs once.
class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string summary() const = 0;
  /// A command line to copy, with what it shows.
  [[nodiscard]] virtual std::string example() const = 0;
  virtual void declare(Flags& flags) = 0;
  virtual Answer run(const Presets& presets) = 0;
};

/// All subcommands, in the order of help.
std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace smelt::cli
