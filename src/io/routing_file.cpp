#include "smelt/routing_file.hpp"

#include <fmt/format.h>

#include "smelt/error.hpp"
#include "smelt/numbers.hpp"
#include "smelt/text_file.hpp"

namespace smelt {

std::vector<double> read_expert_loads(const JsonValue& json) {
  const JsonValue::Array* items = json.if_array();
  if (items == nullptr) {
    throw InputError("", fmt::format("is {}, not a list of loads", json.kind()), "[12, 7, 3.5]");
  }
  std::vector<double> loads;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::string place = json_pointer("", std::to_string(i));
    const std::string* text = (*items)[i].if_number();
    if (text == nullptr) {
      throw InputError(place, fmt::format("is {}, not a number", (*items)[i].kind()));
    }
    loads.push_back(parse_number(*text, place).to_double());
  }
  return loads;
}

std::vector<double> read_expert_loads_file(const std::filesystem::path& path) {
  const JsonValue json = read_json_file(path);
  try {
    return read_expert_loads(json);
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

}  // namespace smelt
