#include "bench/cpu/team.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

namespace smelt {
namespace {

TEST_CASE("a team does every task once, run after run") {
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    CHECK(team.size() == threads);
    for (const std::size_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> done(count);
      std::atomic<bool> in_range = true;
      team.run(count, [&](std::size_t i, int thread) {
        ++done[i];
        if (thread < 0 || thread >= threads) in_range = false;
      });
      for (const std::atomic<int>& times : done) CHECK(times == 1);
      CHECK(in_range);
    }
  }
}

TEST_CASE("an exception in a task reaches the caller, and the team goes on") {
  Team team(2);
  CHECK_THROWS_AS(team.run(10,
                           [](std::size_t i, int) {
                             if (i == 3) throw std::runtime_error("task");
                           }),
                  std::runtime_error);
  std::atomic<int> done = 0;
  team.run(4, [&](std::size_t, int) { ++done; });
  CHECK(done == 4);
}

}  // namespace
}  // namespace smelt
