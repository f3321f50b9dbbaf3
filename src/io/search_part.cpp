#include "smelt/search_part.hpp"

#include <fmt/format.h>

#include <map>

#include "io/object_writer.hpp"
#include "io/result_parts.hpp"
#include "io/search_design_json.hpp"
#include "smelt/checksum.hpp"
#include "smelt/error.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/text_file.hpp"
#include "smelt/version.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kLargest = 9'000'000'000'000'000'000;
constexpr std::size_t kLargestPart = std::size_t{1} << 30;
constexpr const char* kSchema = "smelt/search-part/1";
constexpr std::string_view kChecksumLine = R"({"checksum": ")";

JsonValue head_json(const SearchSpace& space, const Shard& shard, const SearchResult& result) {
  JsonValue::Object members = result_members("search-part");
  const auto add = [&](const char* key, JsonValue value) {
    members.emplace_back(key, std::move(value));
  };
  add("space_hash", to_value(space_hash(space)));
  add("shard", JsonValue::object({{"index", to_value(Count(shard.index))},
                                  {"count", to_value(Count(shard.count))}}));
  add("blocks", to_value(Count(result.blocks)));
  add("counts", counts_value(result.counts));
  add("candidates", to_value(Count(std::ssize(result.candidates))));
  add("pareto", to_value(Count(std::ssize(result.pareto))));
  add("space", space_json(space));
  return JsonValue::object(std::move(members));
}

[[noreturn]] void cut() {
  throw InputError("", "is cut short or changed: its checksum does not fit", "run its shard again");
}

/// The text before the last line, which holds its checksum.
std::string_view checked_text(const std::string& text) {
  const std::size_t end = text.rfind(kChecksumLine);
  if (end == std::string::npos) cut();
  const std::string_view all = text;
  const std::string_view before = all.substr(0, end);
  if (all.substr(end) != fmt::format("{}{}\"}}\n", kChecksumLine, fnv1a_64(before))) cut();
  return before;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Where each list of the part's designs ends.
struct Sizes {
  std::size_t candidates = 0;
  std::size_t pareto = 0;
};

Sizes read_head(std::string_view line, const Presets& presets, SearchPart& part) {
  const JsonValue json = parse_json(line);
  Mistakes mistakes;
  ObjectReader head(json, {}, mistakes);
  head.require({"schema", "space_hash", "shard", "blocks", "counts", "space"});
  if (head.string("schema").value_or("") != kSchema) {
    throw InputError("", "is no part of a search", "a file that smelt search --shard wrote");
  }
  if (auto smelt = head.object("smelt")) part.version = smelt->string("version").value_or("");
  part.space_hash = head.string("space_hash").value_or("");
  if (auto shard = head.object("shard")) {
    part.shard.index = shard->count("index", 1, kLargest).value_or(1);
    part.shard.count = shard->count("count", 1, kLargest).value_or(1);
  }
  part.result.blocks = part.result.blocks_done = head.count("blocks", 0, kLargest).value_or(0);
  if (auto counts = head.object("counts")) {
    part.result.counts.grid_points = counts->count("grid_points", 0, kLargest).value_or(0);
    part.result.counts.feasible = counts->count("feasible", 0, kLargest).value_or(0);
  }
  Sizes sizes;
  sizes.candidates = static_cast<std::size_t>(head.count("candidates", 0, kLargest).value_or(0));
  sizes.pareto = static_cast<std::size_t>(head.count("pareto", 0, kLargest).value_or(0));
  mistakes.throw_if_any();
  part.space = read_space(*head.value("space"), presets);
  return sizes;
}

SearchPart read_part(const std::string& text, const Presets& presets) {
  const std::vector<std::string_view> lines = lines_of(checked_text(text));
  if (lines.empty()) cut();
  SearchPart part;
  const Sizes sizes = read_head(lines.front(), presets, part);
  if (lines.size() != 1 + sizes.candidates + sizes.pareto) cut();
  const std::vector<Stack> stacks = stacks_of(part.space);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    auto& list = i <= sizes.candidates ? part.result.candidates : part.result.pareto;
    list.push_back(read_design(part.space, stacks, lines[i]));
  }
  return part;
}

}  // namespace

std::string write_part(const SearchSpace& space, const Shard& shard, const SearchResult& result) {
  std::string text = write_json_line(head_json(space, shard, result));
  for (const auto* list : {&result.candidates, &result.pareto}) {
    for (const SearchDesign& design : *list) text += write_json_line(place_value(design));
  }
  return text + fmt::format("{}{}\"}}\n", kChecksumLine, fnv1a_64(text));
}

SearchPart read_part_file(const std::filesystem::path& path, const Presets& presets) {
  const std::string text = read_text_file(path, kLargestPart);
  try {
    SearchPart part = read_part(text, presets);
    part.file = printable(path.string());
    return part;
  } catch (const InputError& error) {
    throw error.within(printable(path.string()));
  }
}

void check_parts(const std::vector<SearchPart>& parts) {
  Mistakes mistakes;
  const SearchPart& first = parts.front();
  std::map<std::int64_t, std::string> seen;
  for (const SearchPart& part : parts) {
    if (part.space_hash != first.space_hash) {
      mistakes.add(part.file, "is a part of another space than " + first.file);
    } else if (part.version != version()) {
      mistakes.add(part.file, "was written by smelt " + part.version,
                   fmt::format("parts of smelt {}", version()));
    } else if (part.shard.count != first.shard.count) {
      mistakes.add(part.file, fmt::format("is shard {}/{}, but {} is one of {}", part.shard.index,
                                          part.shard.count, first.file, first.shard.count));
    } else if (const auto [known, is_new] = seen.emplace(part.shard.index, part.file); !is_new) {
      mistakes.add(part.file, fmt::format("is shard {}/{}, and so is {}", part.shard.index,
                                          part.shard.count, known->second));
    }
  }
  mistakes.throw_if_any();
  if (std::ssize(seen) == first.shard.count) return;
  std::int64_t missing = 1;
  while (seen.contains(missing)) ++missing;
  throw InputError("", fmt::format("shard {}/{} is missing", missing, first.shard.count),
                   fmt::format("{} parts; {} are here", first.shard.count, seen.size()));
}

}  // namespace smelt
