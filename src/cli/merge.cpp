#include "cli/command.hpp"
#include "smelt/error.hpp"
#include "smelt/search_part.hpp"

namespace smelt::cli {
namespace {

class MergeCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "merge"; }
  [[nodiscard]] std::string summary() const override {
    return "The result of a search from the parts of all its shards";
  }
  [[nodiscard]] std::string example() const override { return "smelt merge part-*.jsonl"; }

  void declare(Flags& flags) override {
    flags.positionals("PART", parts_, "What smelt search --shard wrote, one file per shard");
  }

  Answer run(const Presets& presets) override {
    std::vector<SearchPart> parts;
    Mistakes mistakes;
    for (const std::string& file : parts_) {
      try {
        parts.push_back(read_part_file(file, presets));
      } catch (const InputError& error) {
        mistakes.add(error);
      }
    }
    mistakes.throw_if_any();
    check_parts(parts);
    std::vector<SearchResult> results;
    results.reserve(parts.size());
    for (SearchPart& part : parts) results.push_back(std::move(part.result));
    const SearchSpace& space = parts.front().space;
    const SearchResult whole = merge(space, results);
    return answer(report_search(space, whole), whole.counts.feasible > Count(0) ? 0 : 1);
  }

 private:
  std::vector<std::string> parts_;
};

}  // namespace

std::unique_ptr<Command> make_merge_command() { return std::make_unique<MergeCommand>(); }

}  // namespace smelt::cli
