#include "smelt/parallel.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "smelt/random.hpp"

TEST_CASE("every index is done once, on any number of threads") {
  for (const int threads : {0, 1, 2, 3, 16}) {
    for (const std::size_t count : {0, 1, 2, 5, 1000}) {
      INFO(threads << " threads, " << count << " indices");
      std::vector<int> done(count, 0);
      smelt::parallel_for(count, threads, [&](std::size_t i) { ++done[i]; });
      CHECK(done == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("results do not depend on the number of threads") {
  const auto run = [](int threads) {
    std::vector<double> draws(500);
    smelt::parallel_for(draws.size(), threads, [&](std::size_t i) {
      smelt::RandomStream stream(42, i);
      for (int k = 0; k < 50; ++k) draws[i] += stream.normal();
    });
    return draws;
  };
  const std::vector<double> alone = run(1);
  CHECK(run(2) == alone);
  CHECK(run(7) == alone);
}

TEST_CASE("the failure of the lowest index comes through") {
  for (const int threads : {1, 2, 8}) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      const auto body = [](std::size_t i) {
        if (i == 13 || i == 14 || i > 20) throw std::runtime_error(std::to_string(i));
      };
      CHECK_THROWS_WITH(smelt::parallel_for(100, threads, body), "13");
    }
  }
}

TEST_CASE("thread counts resolve to at least one") {
  CHECK(smelt::resolve_threads(0) >= 1);
  CHECK(smelt::resolve_threads(3) == 3);
}
