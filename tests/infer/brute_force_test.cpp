// Random small tables, printed from a known geometry, against exhaustive enumeration.
#include "infer/brute_force.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "smelt/convention.hpp"

using namespace smelt;
using namespace smelt::testing;

namespace {

using Found = std::map<InferredGeometry, KeysRange>;

class Source {
 public:
  explicit Source(unsigned seed) : engine_(seed) {}
  std::int64_t within(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  bool coin() { return within(0, 1) == 1; }

 private:
  std::mt19937 engine_;
};

InferDomain small_domain() {
  InferDomain domain;
  domain.expert_ffn = {2, {}, 12};
  domain.kv_width = {2, {}, {}};
  domain.most_shared_experts = 1;
  domain.highest_keys = 40;
  return domain;
}

PrintedRow random_row(Source& source, std::string name, std::string family, std::int64_t hidden) {
  PrintedRow row;
  row.name = std::move(name);
  row.family = std::move(family);
  row.hidden_size = hidden;
  row.num_layers = source.within(1, 4);
  row.num_experts = source.within(1, 6);
  row.num_experts_per_tok = source.within(1, row.num_experts);
  if (source.coin()) row.loop = LoopSpan{0, source.within(1, row.num_layers), source.within(2, 3)};
  return row;
}

/// Prints a figure of the row to a few digits.
void print(Source& source, PrintedRow& row, PrintedKind kind, const TwinCounts& own,
           const TwinCounts* other) {
  const bool is_count = kind == PrintedKind::kActiveParams || kind == PrintedKind::kTotalParams ||
                        kind == PrintedKind::kFlops;
  TwinFraction value = twin_value(row, kind, own, other);
  std::string unit;
  if (is_count) {
    value.den *= 1000;
    unit = "k";
  }
  const std::string digits = twin_print(value, static_cast<int>(source.within(1, 2)));
  PrintedFigure figure = printed_figure(kind, digits + unit, "");
  figure.printed = digits;  // the twin reads it
  row.figures.push_back(figure);
}

bool all_round(const PrintedRow& row, const TwinCounts& own, const TwinCounts* other) {
  return std::all_of(row.figures.begin(), row.figures.end(), [&](const PrintedFigure& figure) {
    TwinFraction value = twin_value(row, figure.kind, own, other);
    if (figure.kind == PrintedKind::kActiveParams || figure.kind == PrintedKind::kTotalParams ||
        figure.kind == PrintedKind::kFlops) {
      value.den *= 1000;
    }
    return twin_rounds_to(value, figure.printed);
  });
}

void widen(Found& found, const InferredGeometry& geometry, std::int64_t keys) {
  const auto [known, is_new] = found.emplace(geometry, KeysRange{keys, keys});
  if (!is_new) {
    known->second.lowest = std::min(known->second.lowest, keys);
    known->second.highest = std::max(known->second.highest, keys);
  }
}

Found as_map(const InferFinding& finding) {
  Found found;
  for (const InferredSolution& solution : finding.solutions) {
    found.emplace(solution.geometry, solution.keys);
  }
  return found;
}

/// A table of a family of two rows and a second one of one row whose ratios are over the first row.
struct Problem {
  PrintedTable table;
  InferredGeometry truth[2];
  std::int64_t keys = 0;
};

Problem random_problem(Source& source, const InferDomain& domain) {
  Problem problem;
  const std::int64_t hidden[2] = {2 * source.within(2, 6), 2 * source.within(2, 6)};
  problem.keys = source.within(1, domain.highest_keys);
  const std::int64_t matrices = source.coin() ? 3 : 2;
  std::vector<PrintedRow>& rows = problem.table.rows;
  rows = {random_row(source, "a1", "a", hidden[0]), random_row(source, "a2", "a", hidden[0]),
          random_row(source, "b", "b", hidden[1])};
  rows[2].relative_to = 0;
  for (int family = 0; family < 2; ++family) {
    const auto all = twin_geometries(rows[static_cast<std::size_t>(2 * family)], domain, matrices);
    problem.truth[family] = all[static_cast<std::size_t>(source.within(0, std::ssize(all) - 1))];
  }
  TwinCounts counts[3];
  for (std::size_t i = 0; i < 3; ++i) {
    counts[i] = twin_counts(rows[i], problem.truth[i / 2], problem.keys);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (const PrintedKind kind : {PrintedKind::kActiveParams, PrintedKind::kTotalParams,
                                   PrintedKind::kFlops, PrintedKind::kSparsity}) {
      if (source.coin()) print(source, rows[i], kind, counts[i], nullptr);
    }
    if (rows[i].figures.empty()) {
      print(source, rows[i], PrintedKind::kTotalParams, counts[i], nullptr);
    }
  }
  print(source, rows[2], PrintedKind::kFlopsRatio, counts[2], &counts[0]);
  if (source.coin()) print(source, rows[2], PrintedKind::kKvRatio, counts[2], &counts[0]);
  return problem;
}

}  // namespace

TEST_CASE("one family: exactly the geometries that an exhaustive walk finds") {
  const InferDomain domain = small_domain();
  int several = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    INFO("seed " << seed);
    Source source(seed);
    Problem problem = random_problem(source, domain);
    problem.table.rows.pop_back();
    Found expected;
    for (const std::int64_t matrices : domain.matrices) {
      for (const InferredGeometry& g : twin_geometries(problem.table.rows[0], domain, matrices)) {
        for (std::int64_t keys = 1; keys <= domain.highest_keys; ++keys) {
          const bool fits = std::all_of(problem.table.rows.begin(), problem.table.rows.end(),
                                        [&](const PrintedRow& row) {
                                          return all_round(row, twin_counts(row, g, keys), nullptr);
                                        });
          if (fits) widen(expected, g, keys);
        }
      }
    }
    const InferResult result = infer_geometry(problem.table, domain, conventions().front());
    REQUIRE(result.families.size() == 1);
    CHECK(as_map(result.families[0]) == expected);
    CHECK(expected.count(problem.truth[0]) == 1);
    several += expected.size() > 1 ? 1 : 0;
  }
  CHECK(several > 50);
}

TEST_CASE("two families linked by ratios: exactly the pairs of an exhaustive walk") {
  const InferDomain domain = small_domain();
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    INFO("seed " << seed);
    Source source(seed);
    const Problem problem = random_problem(source, domain);
    const std::vector<PrintedRow>& rows = problem.table.rows;
    Found expected[2];
    for (const std::int64_t matrices : domain.matrices) {
      const auto all_b = twin_geometries(rows[2], domain, matrices);
      for (const InferredGeometry& a : twin_geometries(rows[0], domain, matrices)) {
        for (std::int64_t keys = 1; keys <= domain.highest_keys; ++keys) {
          const TwinCounts first = twin_counts(rows[0], a, keys);
          if (!all_round(rows[0], first, nullptr) ||
              !all_round(rows[1], twin_counts(rows[1], a, keys), nullptr)) {
            continue;
          }
          for (const InferredGeometry& b : all_b) {
            if (!all_round(rows[2], twin_counts(rows[2], b, keys), &first)) continue;
            widen(expected[0], a, keys);
            widen(expected[1], b, keys);
          }
        }
      }
    }
    const InferResult result = infer_geometry(problem.table, domain, conventions().front());
    REQUIRE(result.families.size() == 2);
    CHECK(as_map(result.families[0]) == expected[0]);
    CHECK(as_map(result.families[1]) == expected[1]);
    CHECK(expected[1].count(problem.truth[1]) == 1);
  }
}

TEST_CASE("a figure put wrong: none where the walk finds none, with a smallest clash") {
  const InferDomain domain = small_domain();
  int clashes = 0;
  for (unsigned seed = 2000; seed < 2300; ++seed) {
    INFO("seed " << seed);
    Source source(seed);
    Problem problem = random_problem(source, domain);
    std::vector<PrintedRow>& rows = problem.table.rows;
    rows.resize(1);
    // The first figure is that of a wider model on longer documents.
    InferredGeometry wrong = problem.truth[0];
    wrong.expert_ffn += 2;
    const TwinCounts counts = twin_counts(rows[0], wrong, problem.keys + problem.keys / 2 + 1);
    const PrintedKind kind = rows[0].figures.front().kind;
    rows[0].figures.erase(rows[0].figures.begin());
    print(source, rows[0], kind, counts, nullptr);
    // The smallest number of figures that the walk cannot have together; 0 where it can have all.
    std::size_t smallest = 0;
    const std::vector<PrintedFigure> all = rows[0].figures;
    for (unsigned subset = 0; subset < (1U << all.size()); ++subset) {
      PrintedRow some = rows[0];
      some.figures.clear();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((subset >> i & 1U) != 0) some.figures.push_back(all[i]);
      }
      bool possible = false;
      for (const std::int64_t matrices : domain.matrices) {
        for (const InferredGeometry& g : twin_geometries(some, domain, matrices)) {
          for (std::int64_t keys = 1; keys <= domain.highest_keys && !possible; ++keys) {
            possible = all_round(some, twin_counts(some, g, keys), nullptr);
          }
        }
      }
      if (!possible && (smallest == 0 || some.figures.size() < smallest)) {
        smallest = some.figures.size();
      }
    }
    const InferResult result = infer_geometry(problem.table, domain, conventions().front());
    CHECK(result.rows[0].conflicts.size() == smallest);
    CHECK(result.rows[0].solutions.empty() == (smallest > 0));
    clashes += smallest > 1 ? 1 : 0;
  }
  CHECK(clashes > 10);
}
