// The search against brute force: every point of small random spaces, walked by the matcher's own
// twin, whose formulas share nothing with the code under test.
#include "smelt/search.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/scratch_folder.hpp"
#include "match/oracle.hpp"
#include "smelt/error.hpp"
#include "smelt/presets.hpp"
#include "smelt/result_json.hpp"
#include "smelt/search_part.hpp"
#include "smelt/time.hpp"

using namespace smelt;
using smelt::testing::Oracle;

namespace {

/// So slow that matrix products and not launches set the pace of small layers.
Hardware device() {
  Hardware device;
  device.name = "slow";
  device.memory_bandwidth_bytes_per_s = 1e9;
  device.multiprocessors = 4;
  device.memory_bytes = 1;
  device.peaks[static_cast<std::size_t>(Precision::kBf16)] = 1e10;
  return device;
}

/// Draws small spaces: several depths, loops at all kinds of places, several k, batches and
/// degrees.
class SpaceSource {
 public:
  explicit SpaceSource(std::uint32_t seed) : engine_(seed) {}

  SearchSpace next() {
    SearchSpace space;
    space.baseline = baseline();
    space.convention = conventions().front();
    space.objective = static_cast<Objective>(from(0, 2));
    space.top = from(1, 6);
    space.rules = rules(space.baseline);
    space.num_hidden_layers = some(2, 6);
    if (chance(4, 5)) space.loop = loop();
    const bool routed = space.baseline.layers.front().ffn.num_experts > 0;
    if (routed && chance(1, 2)) space.num_experts_per_tok = some(1, 3);
    if (routed && chance(2, 3)) space.batch_tokens = from(1, 4000);
    if (routed && chance(2, 3)) space.expert_parallel_degree = from(1, 5);
    if (space.batch_tokens && chance(1, 4)) space.device = device();
    for (const MetricInfo& info : metric_infos()) {
      if (info.needs_device && !space.device) continue;
      if (info.needs_batch && !space.batch_tokens) continue;
      if (info.needs_degree && !space.expert_parallel_degree) continue;
      if (chance(1, 2)) space.pareto.push_back({info.metric, chance(1, 2)});
    }
    return space;
  }

 private:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t of, std::int64_t in) { return from(1, in) <= of; }

  /// One to three values in order, at times none.
  std::vector<std::int64_t> some(std::int64_t low, std::int64_t high) {
    std::set<std::int64_t> values;
    for (std::int64_t i = from(0, 3); i > 0; --i) values.insert(from(low, high));
    return {values.begin(), values.end()};
  }
  std::vector<std::int64_t> at_least_one(std::int64_t low, std::int64_t high) {
    std::vector<std::int64_t> values = some(low, high);
    if (values.empty()) values.push_back(from(low, high));
    return values;
  }

  LoopAxes loop() {
    LoopAxes axes;
    axes.lengths = at_least_one(1, 4);
    if (chance(1, 3)) axes.fractions = {Rational(1, 2)};
    axes.start = static_cast<LoopStart>(from(0, 2));
    if (axes.start == LoopStart::kListed) axes.starts = at_least_one(0, 2);
    axes.visits = at_least_one(1, 3);
    return axes;
  }

  Model baseline() {
    Layer layer;
    const std::int64_t kv_heads = from(1, 2);
    layer.attention = GroupedQueryAttention{kv_heads * from(1, 3), kv_heads, 4 * from(1, 4)};
    const auto& heads = std::get<GroupedQueryAttention>(layer.attention);
    if (chance(4, 5)) {
      layer.ffn.num_experts_per_tok = from(1, 3);
      layer.ffn.num_experts = layer.ffn.num_experts_per_tok + from(0, 8);
      layer.ffn.expert_width = from(4, 32);
    } else {
      layer.ffn.dense_width = from(8, 60);
    }
    Model model = uniform_stack(heads.num_heads * heads.head_dim, from(2, 6), layer);
    model.attended_keys = Rational(from(1, 400), 2);
    return model;
  }

  Rules rules(const Model& model) {
    const Ffn& ffn = model.layers.front().ffn;
    const std::int64_t width = ffn.num_experts > 0 ? ffn.expert_width : ffn.dense_width;
    Rules rules;
    rules.hidden_size = {8, model.hidden_size, from(1, 3) * 4, {}};
    rules.num_experts = {std::nullopt, 20, from(1, 3), {}};
    rules.moe_intermediate_size = {1, 2 * width, from(1, 3), {}};
    if (chance(3, 4)) rules.head_dim = {2, 16, 2, {}};
    if (chance(1, 2)) rules.ffn_ratio.highest = Rational(from(10, 25), 10);
    rules.query_width_is_hidden = chance(1, 2);
    rules.tolerance = {Rational(from(1, 30), 100), Rational(from(1, 30), 100),
                       Rational(from(1, 30), 100)};
    return rules;
  }

  std::mt19937 engine_;
};

/// A space walked point by point: all designs within tolerance, best first.
class BruteForce {
 public:
  explicit BruteForce(const SearchSpace& space) : space_(space), stacks_(stacks_of(space)) {
    if (space.device) baseline_s_ = seconds(space.baseline);
    const MatchProblem first = problem_of(space, stacks_.front());
    const Oracle order(first);
    for (std::size_t i = 0; i < stacks_.size(); ++i) add_stack(static_cast<std::int64_t>(i));
    std::stable_sort(points_.begin(), points_.end(), [&](const Place& a, const Place& b) {
      return order.better(a.point, b.point);
    });
    for (const Place& place : points_) designs_.push_back(design(place));
  }

  [[nodiscard]] std::int64_t grid_points() const { return grid_points_; }
  [[nodiscard]] const std::vector<SearchDesign>& designs() const { return designs_; }

  /// Those that no other one beats; of those alike, the best.
  [[nodiscard]] std::vector<SearchDesign> front() const {
    std::vector<SearchDesign> front;
    std::set<std::vector<double>> seen;
    for (const SearchDesign& design : designs_) {
      const std::vector<double> own = asked(design);
      const bool beaten = std::any_of(designs_.begin(), designs_.end(),
                                      [&](const auto& other) { return beats(asked(other), own); });
      if (!space_.pareto.empty() && !beaten && seen.insert(own).second) front.push_back(design);
    }
    return front;
  }

 private:
  struct Place {
    std::int64_t stack;
    Oracle::Point point;
  };

  void add_stack(std::int64_t stack) {
    const MatchProblem problem = problem_of(space_, stacks_[static_cast<std::size_t>(stack)]);
    Oracle oracle(problem);
    oracle.run();
    grid_points_ += oracle.grid_points;
    baseline_ = {oracle.baseline()[0], oracle.baseline()[1], oracle.baseline()[2]};
    for (const Oracle::Point& point : oracle.feasible) points_.push_back({stack, point});
  }

  [[nodiscard]] SearchDesign design(const Place& place) const {
    const auto& [h, e, f, q, g, d] = place.point.shape;
    const std::int64_t* budget = place.point.budget;
    SearchDesign design;
    design.stack = place.stack;
    design.candidate.dimensions = {h, e, f, HeadGeometry{q, g, d}, std::nullopt};
    design.candidate.budget = {budget[0], budget[1], budget[2]};
    design.candidate.deviation = deviation(design.candidate.budget, baseline_);
    const Stack& stack = stacks_[static_cast<std::size_t>(place.stack)];
    const double rows = static_cast<double>(space_.batch_tokens.value_or(0) * chosen(stack)) /
                        static_cast<double>(std::max<std::int64_t>(1, e));
    const double executed = static_cast<double>(
        stack.num_layers + (stack.loop ? stack.loop->length * (stack.loop->visits - 1) : 0));
    const double width0 = static_cast<double>(space_.baseline.hidden_size);
    const Ffn& ffn = space_.baseline.layers.front().ffn;
    const double ffn0 =
        static_cast<double>(ffn.num_experts > 0 ? ffn.expert_width : ffn.dense_width);
    const auto width = static_cast<double>(h);
    const auto degree = space_.expert_parallel_degree;
    design.metrics = {design.candidate.deviation.max_abs(),
                      executed / width,
                      std::abs(static_cast<double>(f) / width / (ffn0 / width0) - 1),
                      rows,
                      rows == 0 ? 0 : rows / (128 * std::ceil(rows / 128)),
                      degree && e > 0 && e % *degree == 0 ? 1.0 : 0.0,
                      time_ratio(stack, design.candidate.dimensions)};
    return design;
  }

  [[nodiscard]] double seconds(const Model& model) const {
    TimeOptions options;
    options.tokens = *space_.batch_tokens;
    return predict_time(model, *space_.device, options).total_s;
  }

  [[nodiscard]] double time_ratio(const Stack& stack, const Dimensions& dimensions) const {
    if (!space_.device) return 0;
    const double ratio = seconds(build_model(problem_of(space_, stack), dimensions)) / baseline_s_;
    return std::round(ratio * 1e9) / 1e9;
  }

  [[nodiscard]] std::int64_t chosen(const Stack& stack) const {
    return stack.num_experts_per_tok.value_or(
        space_.baseline.layers.front().ffn.num_experts_per_tok);
  }

  /// The metrics asked for, smaller being better, to the digits that two ways of computing share.
  [[nodiscard]] std::vector<double> asked(const SearchDesign& design) const {
    std::vector<double> values;
    for (const ParetoMetric& metric : space_.pareto) {
      const double value = design.metrics[static_cast<std::size_t>(metric.metric)];
      values.push_back(std::round((metric.higher_is_better ? -value : value) * 1e12) / 1e12);
    }
    return values;
  }

  static bool beats(const std::vector<double>& a, const std::vector<double>& b) {
    bool better = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] > b[i]) return false;
      better = better || a[i] < b[i];
    }
    return better;
  }

  const SearchSpace& space_;
  std::vector<Stack> stacks_;
  Budget baseline_;
  double baseline_s_ = 0;
  std::int64_t grid_points_ = 0;
  std::vector<Place> points_;
  std::vector<SearchDesign> designs_;
};

void check_same(const std::vector<SearchDesign>& found, const std::vector<SearchDesign>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("design " << i);
    REQUIRE(found[i].stack == expected[i].stack);
    REQUIRE(found[i].candidate.dimensions == expected[i].candidate.dimensions);
    REQUIRE(found[i].candidate.budget == expected[i].candidate.budget);
    for (std::size_t m = 0; m < kMetricCount; ++m) {
      REQUIRE(found[i].metrics[m] == Approx(expected[i].metrics[m]).epsilon(1e-12).margin(1e-12));
    }
  }
}

std::string text_of(const SearchSpace& space, const SearchResult& result) {
  return to_json(report_search(space, result));
}

struct Streamed {
  SearchResult result;
  std::string text;
};

Streamed streamed(const SearchSpace& space, int threads, Shard shard = {}) {
  const std::vector<Stack> stacks = stacks_of(space);
  Streamed run;
  SearchOptions options;
  options.threads = threads;
  options.shard = shard;
  options.stream.append = [&](const SearchDesign& design, std::string& text) {
    append_design_line(space, stacks, design, text);
  };
  options.stream.write = [&](std::string_view text) { run.text += text; };
  run.result = search(space, options);
  return run;
}

/// The shards' parts written to files, read back and merged.
SearchResult through_parts(const SearchSpace& space, std::int64_t count) {
  const ScratchFolder folder("parts");
  std::vector<SearchPart> parts;
  std::vector<SearchResult> results;
  for (std::int64_t k = count; k >= 1; --k) {
    SearchOptions options;
    options.threads = 1;
    options.shard = {k, count};
    const auto file =
        folder.write("part.jsonl", write_part(space, options.shard, search(space, options)));
    parts.push_back(read_part_file(file, Presets({})));
    results.push_back(parts.back().result);
  }
  check_parts(parts);
  return merge(parts.front().space, results);
}

}  // namespace

TEST_CASE("a search returns what brute force finds, whatever the threads and shards") {
  SpaceSource source(20261130);
  int searched = 0;
  int with_designs = 0;
  int with_front = 0;
  for (int i = 0; searched < 500; ++i) {
    INFO("space " << i);
    REQUIRE(i < 2000);
    SearchSpace space = source.next();
    try {
      (void)stacks_of(space);
    } catch (const InputError&) {
      continue;  // no loop fits
    }
    const BruteForce expected(space);
    if (expected.grid_points() == 0) {
      REQUIRE_THROWS_AS(search(space, {}), InputError);
      continue;
    }
    ++searched;
    const Streamed whole = streamed(space, 1);
    REQUIRE(whole.result.counts.grid_points.value() == expected.grid_points());
    REQUIRE(whole.result.counts.feasible.value() == std::ssize(expected.designs()));
    std::vector<SearchDesign> best = expected.designs();
    best.resize(std::min(best.size(), static_cast<std::size_t>(space.top)));
    check_same(whole.result.candidates, best);
    check_same(whole.result.pareto, expected.front());
    REQUIRE(std::count(whole.text.begin(), whole.text.end(), '\n') ==
            std::ssize(expected.designs()));
    with_designs += expected.designs().empty() ? 0 : 1;
    with_front += whole.result.pareto.size() > 1 ? 1 : 0;

    const std::string text = text_of(space, whole.result);
    for (const int threads : {2, 8}) {
      const Streamed other = streamed(space, threads);
      REQUIRE(text_of(space, other.result) == text);
      REQUIRE(other.text == whole.text);
    }
    for (const std::int64_t count : {1, 2, 3, 7}) {
      REQUIRE(text_of(space, through_parts(space, count)) == text);
    }
  }
  CHECK(with_designs >= 200);
  CHECK(with_front >= 50);
}

TEST_CASE("the streams of shards, sorted by block, are the whole stream") {
  SearchSpace space = SpaceSource(7).next();
  space.rules.tolerance = {Rational(1, 2), Rational(1, 2), Rational(1, 2)};
  const std::string whole = streamed(space, 2).text;
  REQUIRE(!whole.empty());
  std::vector<std::pair<int, std::string>> lines;
  for (std::int64_t k = 1; k <= 3; ++k) {
    const std::string text = streamed(space, 1, {k, 3}).text;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      const std::string line = text.substr(at, end - at);
      lines.emplace_back(std::stoi(line.substr(std::string("{\"block\": ").size())), line);
      at = end;
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string sorted;
  for (const auto& line : lines) sorted += line.second;
  CHECK(sorted == whole);
}

TEST_CASE("rows of a batch and how they fill 128-row tiles") {
  MetricBasis basis;
  basis.num_experts_per_tok = 8;
  basis.batch_tokens = 9360;
  CHECK(rows_per_expert(basis, 288) == 260);
  CHECK(tile_fill(basis, 288) == Approx(260.0 / 384));
  basis.batch_tokens = 4608;
  CHECK(rows_per_expert(basis, 288) == 128);
  CHECK(tile_fill(basis, 288) == 1);
  basis.batch_tokens = 9;  // a quarter of a row each
  CHECK(tile_fill(basis, 288) == Approx(0.25 / 128));
  basis.expert_parallel_degree = 32;
  CHECK(expert_parallel_divisible(basis, 288) == 1);
  CHECK(expert_parallel_divisible(basis, 280) == 0);
}

TEST_CASE("a stop keeps what the first blocks came to") {
  SearchSpace space = SpaceSource(7).next();
  space.rules.tolerance = {Rational(1, 2), Rational(1, 2), Rational(1, 2)};
  std::atomic<bool> stop{false};
  SearchOptions options;
  options.threads = 1;
  options.stop = &stop;
  options.on_progress = [&](const SearchProgress& progress) {
    if (progress.blocks_done == 2) stop = true;
  };
  const SearchResult result = search(space, options);
  CHECK_FALSE(result.complete());
  CHECK(result.blocks_done == 2);
  CHECK(result.counts.grid_points > Count(0));
}

TEST_CASE("an estimate of a small space counts all of it") {
  const SearchSpace space = SpaceSource(7).next();
  SearchOptions options;
  options.threads = 1;
  const SearchResult result = search(space, options);
  if (result.blocks <= 32) {
    CHECK(estimate(space, options).grid_points == result.counts.grid_points.to_double());
  }
}
