#include "cli/data_argument.hpp"

#include <algorithm>
#include <iostream>

#include "smelt/text_file.hpp"

namespace smelt::cli {

DataTable read_data_argument(const std::string& argument, const Presets& presets) {
  if (argument == "-") return parse_data_table(read_text_stream(std::cin, "-"));
  const std::vector<std::string> known = presets.names(PresetKind::kData);
  const bool is_preset = std::find(known.begin(), known.end(), argument) != known.end();
  return read_data_table(is_preset ? presets.find(PresetKind::kData, argument)
                                   : std::filesystem::path(argument));
}

}  // namespace smelt::cli
