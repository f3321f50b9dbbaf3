#include "smelt/search.hpp"

#include <fmt/format.h>

#include <iostream>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_flags.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "cli/slurm_script.hpp"
#include "cli/whole_file.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"
#include "smelt/parallel.hpp"
#include "smelt/search_part.hpp"

namespace smelt::cli {
namespace {

constexpr std::int64_t kMostThreads = 4096;
/// From here on a search has to be asked for twice.
constexpr double kManyPoints = 1e15;
constexpr double kManySeconds = 3600;
constexpr double kMostPoints = 9e18;  // of a 64-bit count

/// A text that is made by then, in one form whatever is asked for.
Answer one_form(const std::string& text, const char* what, int status) {
  return {status, [text, what](const Form& form, bool) {
            if (form.table != TableFormat::kText) {
              throw InputError("--format", fmt::format("{} has no other form", what),
                               "leave it out");
            }
            return text;
          }};
}

class SearchCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "search"; }
  [[nodiscard]] std::string summary() const override {
    return "Every design of a space within tolerance: counts, the best, a Pareto front";
  }
  [[nodiscard]] std::string example() const override {
    return "smelt search loops-200m --stream designs.jsonl";
  }

  void declare(Flags& flags) override {
    flags.positional("SPACE", space_, "Space file or preset");
    flags.heading("Search");
    flags.option("--threads", "N", threads_, "Threads; default: one per core");
    flags.option("--stream", "FILE", stream_,
                 "Write every design within tolerance, a JSON line each");
    flags.toggle("--yes", yes_, "Start however long it may take");
    flags.heading("Many machines");
    flags.option("--shard", "K/N", shard_,
                 "Search part K of N; auto takes the scheduler's numbers");
    flags.option("--emit-slurm", "N", emit_slurm_,
                 "Print a Slurm script of N shards and their merge");
    keys_.declare(flags);
  }

  Answer run(const Presets& presets) override {
    if (emit_slurm_) {
      const auto shards = parse_count(*emit_slurm_, "--emit-slurm", 1, kMostShards);
      return one_form(slurm_script(space_, shards), "a script", 0);
    }
    const InterruptGuard guard;
    SearchSpace space = presets.space(space_);
    keys_.apply(space.baseline);
    SearchOptions options;
    if (threads_) {
      options.threads = static_cast<int>(parse_count(*threads_, "--threads", 1, kMostThreads));
    }
    if (shard_) options.shard = read_shard();
    const std::vector<Stack> stacks = stacks_of(space);
    std::optional<WholeFile> stream;
    if (stream_) {
      stream.emplace(*stream_);
      options.stream.append = [&](const SearchDesign& design, std::string& text) {
        append_design_line(space, stacks, design, text);
      };
      options.stream.write = [&](std::string_view text) { stream->append(text); };
    }
    if (!yes_) refuse_a_long_search(space, options);
    const SearchResult result = searched(space, options);
    if (stream) stream->commit();
    return answered(space, result, options.shard);
  }

 private:
  [[nodiscard]] Shard read_shard() const {
    const ShardChoice choice = parse_shard(*shard_);
    if (!choice.source.empty()) {
      std::cerr << fmt::format("smelt: shard {}/{} from {}\n", choice.shard.index,
                               choice.shard.count, choice.source);
    }
    return choice.shard;
  }

  void refuse_a_long_search(const SearchSpace& space, const SearchOptions& options) const {
    const SearchEstimate size = estimate(space, options);
    const bool countable = size.grid_points < kMostPoints;
    if (size.grid_points < kManyPoints && size.seconds < kManySeconds) return;
    const std::string points = fmt::format("about {} points", with_unit(size.grid_points));
    if (!countable) throw InputError(space_, "has " + points, "at most 9e18; a smaller space");
    throw InputError("--yes",
                     fmt::format("is missing for {}, some {} on {} threads", points,
                                 duration_text(size.seconds), resolve_threads(options.threads)),
                     "--yes to start it, --shard to spread it, or a smaller space");
  }

  static SearchResult searched(const SearchSpace& space, SearchOptions& options) {
    ProgressLine line;
    options.stop = &InterruptGuard::flag();
    options.on_progress = [&](const SearchProgress& progress) { line.show(progress); };
    return search(space, options);
  }

  [[nodiscard]] Answer answered(const SearchSpace& space, const SearchResult& result,
                                const Shard& shard) const {
    if (!result.complete()) {
      std::cerr << fmt::format("smelt: interrupted after {} of {} blocks\n",
                               with_separators(result.blocks_done), with_separators(result.blocks));
      if (shard_) throw Interrupted();  // a part is whole or not there
    }
    if (shard_) return one_form(write_part(space, shard, result), "a part", 0);
    const int status = result.counts.feasible > Count(0) ? 0 : 1;
    return answer(report_search(space, result), result.complete() ? status : kInterrupted);
  }

  std::string space_;
  std::optional<std::string> threads_;
  std::optional<std::string> stream_;
  bool yes_ = false;
  std::optional<std::string> shard_;
  std::optional<std::string> emit_slurm_;
  AttendedKeysFlags keys_;
};

}  // namespace

std::unique_ptr<Command> make_search_command() { return std::make_unique<SearchCommand>(); }

}  // namespace smelt::cli
