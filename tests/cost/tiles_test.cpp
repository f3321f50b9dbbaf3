#include "smelt/tiles.hpp"

#include <set>
#include <tuple>
#include <vector>

#include "catch.hpp"

namespace smelt {
namespace {

TEST_CASE("tiles of one product") {
  const TileShape tile;  // 128 x 128
  CHECK(tile_count(0, 512, tile) == 0);
  CHECK(tile_count(1, 512, tile) == 4);
  CHECK(tile_count(128, 128, tile) == 1);
  CHECK(tile_count(129, 129, tile) == 4);
  CHECK(tile_count(260, 704, tile) == 3 * 6);
}

/// All blocks of a persistent grid together: how often each output element is covered.
void check_cover(const std::vector<std::int32_t>& rows, std::int64_t columns, std::int64_t blocks) {
  const TileShape tile{64, 32, 16};
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> places;
  std::int64_t visited = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    TileCursor cursor(rows.data(), static_cast<std::int64_t>(rows.size()), columns, tile);
    TilePlace place;
    for (std::int64_t index = block; cursor.seek(index, &place); index += blocks) {
      ++visited;
      places.insert({place.group, place.first_row, place.first_column});
      REQUIRE(place.first_row % tile.rows == 0);
      REQUIRE(place.first_row < rows[static_cast<std::size_t>(place.group)]);
      REQUIRE(place.first_column % tile.columns == 0);
      REQUIRE(place.first_column < columns);
    }
  }
  std::int64_t wanted = 0;
  for (const std::int32_t count : rows) wanted += tile_count(count, columns, tile);
  CHECK(visited == wanted);
  CHECK(static_cast<std::int64_t>(places.size()) == wanted);
}

TEST_CASE("a persistent grid covers every tile of ragged groups once") {
  check_cover({0, 1, 63, 64, 65, 129, 0}, 96, 1);
  check_cover({0, 1, 63, 64, 65, 129, 0}, 96, 7);
  check_cover({0, 1, 63, 64, 65, 129, 0}, 33, 1000);
  check_cover({0, 0, 0}, 96, 4);
  std::vector<std::int32_t> many(504);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int32_t>(i * 37 % 131);
  check_cover(many, 100, 132);
}

}  // namespace
}  // namespace smelt
