#include "infer/conflict.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"

TEST_CASE("a smallest conflict is as small as the smallest forbidden set, for random ones") {
  std::mt19937 engine(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t count = 1 + engine() % 9;
    std::vector<unsigned> forbidden;
    for (unsigned i = 0; i < 1 + engine() % 5; ++i) {
      forbidden.push_back(1 + static_cast<unsigned>(engine()) % ((1U << count) - 1));
    }
    const auto mask_of = [](const std::vector<std::size_t>& places) {
      unsigned mask = 0;
      for (const std::size_t place : places) mask |= 1U << place;
      return mask;
    };
    const auto possible = [&](const std::vector<std::size_t>& places) {
      const unsigned mask = mask_of(places);
      return std::none_of(forbidden.begin(), forbidden.end(),
                          [&](unsigned set) { return (mask & set) == set; });
    };
    int smallest = 32;
    for (const unsigned set : forbidden) smallest = std::min(smallest, __builtin_popcount(set));
    const std::vector<std::size_t> found = smelt::smallest_conflict(count, possible);
    CHECK(std::ssize(found) == smallest);
    CHECK(std::count(forbidden.begin(), forbidden.end(), mask_of(found)) > 0);
    CHECK(std::is_sorted(found.begin(), found.end()));
  }
}
