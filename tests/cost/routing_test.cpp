#include "smelt/routing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "smelt/error.hpp"

namespace smelt {
namespace {

using Rows = std::vector<std::int64_t>;

TEST_CASE("rows per expert by hand") {
  CHECK(expert_rows({}, 10, 2, 8) == Rows{3, 3, 3, 3, 2, 2, 2, 2});
  // Shares 1, 1/2, 1/3, 1/4 of 24 rows: 11.52, 5.76, 3.84, 2.88.
  CHECK(expert_rows({RoutingLaw::Kind::kZipf, 1, {}}, 12, 2, 4) == Rows{12, 6, 3, 3});
  // No expert takes a token twice.
  CHECK(expert_rows({RoutingLaw::Kind::kZipf, 10, {}}, 5, 3, 4) == Rows{5, 5, 5, 0});
  CHECK(expert_rows({RoutingLaw::Kind::kZipf, 0, {}}, 8, 1, 4) == Rows{2, 2, 2, 2});
}

TEST_CASE("every law hands out tokens x k rows, none above the tokens") {
  for (const char* text : {"balanced", "random", "zipf:0.5", "zipf:1.2", "zipf:10"}) {
    for (const auto& [tokens, top_k, experts] : std::vector<std::array<std::int64_t, 3>>{
             {1, 1, 1}, {64, 8, 504}, {1000, 8, 8}, {333, 2, 7}}) {
      INFO(text << " " << tokens << " " << top_k << " " << experts);
      const Rows rows = expert_rows(parse_routing(text, ""), tokens, top_k, experts);
      CHECK(static_cast<std::int64_t>(rows.size()) == experts);
      CHECK(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}) == tokens * top_k);
      CHECK(*std::min_element(rows.begin(), rows.end()) >= 0);
      CHECK(*std::max_element(rows.begin(), rows.end()) <= tokens);
    }
  }
}

TEST_CASE("random rows vary as a binomial count does") {
  // Mean 10,000 x 8 / 200 = 400; standard deviation sqrt(10000 x 0.04 x 0.96) = 19.6.
  const Rows rows = expert_rows({RoutingLaw::Kind::kRandom, 0, {}}, 10'000, 8, 200);
  double squares = 0;
  for (const std::int64_t count : rows) squares += std::pow(static_cast<double>(count) - 400, 2);
  const double deviation = std::sqrt(squares / 200);
  CHECK(deviation > 15.7);
  CHECK(deviation < 23.5);
}

TEST_CASE("measured loads stretch over another number of experts") {
  const RoutingLaw law = measured_routing({1, 3, 2, 2}, "");
  CHECK(expert_rows(law, 40, 1, 4) == Rows{15, 10, 10, 5});
  // Each load cut in half.
  CHECK(expert_rows(law, 80, 1, 8) == Rows{15, 15, 10, 10, 10, 10, 5, 5});
  CHECK(expert_rows(law, 80, 1, 2) == Rows{50, 30});
  CHECK(expert_rows(measured_routing({1, 0, 0}, ""), 10, 2, 3) == Rows{10, 5, 5});
  CHECK_THROWS_AS(measured_routing({}, "f"), InputError);
  CHECK_THROWS_AS(measured_routing({0, 0}, "f"), InputError);
  CHECK_THROWS_AS(measured_routing({1, -1}, "f"), InputError);
}

TEST_CASE("routing laws as text") {
  for (const char* text : {"balanced", "random", "zipf:1.2", "zipf:0"}) {
    CHECK(routing_name(parse_routing(text, "--routing")) == text);
  }
  for (const char* text : {"", "even", "zipf", "zipf:", "zipf:-1", "zipf:11", "zipf:x"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_routing(text, "--routing"), InputError);
  }
}

}  // namespace
}  // namespace smelt
