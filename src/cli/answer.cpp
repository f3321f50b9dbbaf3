#include "cli/command.hpp"
#include "smelt/error.hpp"

namespace smelt::cli {

Answer verbatim(std::string json) {
  return {0, [json = std::move(json)](const Form& form, bool) {
            if (form.table && *form.table != TableFormat::kText) {
              throw InputError("--format", "a file has no form '" + form.name + "'",
                               "table or json, which print it as it stands");
            }
            return json;
          }};
}

}  // namespace smelt::cli
