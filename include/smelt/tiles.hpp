#pragma once

// Plain C++17, so that CUDA sources may include it.

#include <cstdint>

#include "smelt/host_device.hpp"

namespace smelt {

/// ceil(a / b) for a >= 0, b > 0.
SMELT_HOST_DEVICE constexpr std::int64_t ceil_ratio(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The piece of a product that one thread block computes: `rows` x `columns` of the output in steps
/// of `inner`.
struct TileShape {
  std::int64_t rows = 128;
  std::int64_t columns = 128;
  std::int64_t inner = 64;
};

/// Output tiles of a (rows x inner) by (inner x columns) product; 0 without rows.
SMELT_HOST_DEVICE constexpr std::int64_t tile_count(std::int64_t rows, std::int64_t columns,
                                                    const TileShape& tile) {
  return ceil_ratio(rows, tile.rows) * ceil_ratio(columns, tile.columns);
}

/// Where one output tile lies in a grouped product.
struct TilePlace {
  std::int64_t group = 0;
  std::int64_t first_row = 0;  ///< within the group
  std::int64_t first_column = 0;
};

/// Walks the tiles of a grouped product in a fixed order: groups in order, and within a group row
/// tiles fastest, so that neighbours share their columns of the weights. A persistent block visits
/// the tiles first, first + stride, ... with one forward-only cursor.
class TileCursor {
 public:
  /// `rows` holds the rows of each of `groups` groups; neither array is copied.
  SMELT_HOST_DEVICE TileCursor(const std::int32_t* rows, std::int64_t groups, std::int64_t columns,
                               const TileShape& tile)
      : rows_(rows), groups_(groups), columns_(columns), tile_(tile) {}

  /// Moves to tile number `index`, not below that of the last call. False past the last tile.
  SMELT_HOST_DEVICE bool seek(std::int64_t index, TilePlace* place) {
    while (group_ < groups_) {
      const std::int64_t tiles = tile_count(rows_[group_], columns_, tile_);
      if (index < group_start_ + tiles) {
        const std::int64_t row_tiles = ceil_ratio(rows_[group_], tile_.rows);
        const std::int64_t within = index - group_start_;
        place->group = group_;
        place->first_row = within % row_tiles * tile_.rows;
        place->first_column = within / row_tiles * tile_.columns;
        return true;
      }
      group_start_ += tiles;
      ++group_;
    }
    return false;
  }

 private:
  const std::int32_t* rows_;
  std::int64_t groups_;
  std::int64_t columns_;
  TileShape tile_;
  std::int64_t group_ = 0;
  std::int64_t group_start_ = 0;  ///< number of the group's first tile
};

}  // namespace smelt
