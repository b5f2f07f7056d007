// SPDX-License-Identifier: BSD-3-Clause
// Where the rows and columns of a front are in its tiles.
#pragma once
#include "core/base/host_device.hpp"
#include "core/pipeline/front_tasks.hpp"

namespace lufact {

struct TilePlace {
  Index tile = 0, inside = 0;
};

// Of row or column `row` of the front. A small front is one tile, in which its pivots are padded.
LUFACT_HOST_DEVICE inline TilePlace tile_place(const FrontShape& shape, Index row) {
  if (shape.tiles == 0) {
    const Index padding = (pivot_block - shape.pivots % pivot_block) % pivot_block;
    return {0, row < shape.pivots ? row : row + padding};
  }
  if (row < shape.pivots) return {row / shape.pivot_width, row % shape.pivot_width};
  const Index beyond = row - shape.pivots;
  return {shape.pivot_tiles + beyond / shape.row_width, beyond % shape.row_width};
}

// Of an entry: its place in a tile, as TaskGraph::entry_place has it.
LUFACT_HOST_DEVICE inline std::uint16_t entry_place(Index row, Index column) {
  return static_cast<std::uint16_t>(row + 256 * column);
}

// Tasks of a front, one for each tile.
LUFACT_HOST_DEVICE inline Offset tile_tasks(const FrontShape& shape) {
  return shape.tiles == 0 ? 1 : Offset{shape.tiles} * shape.tiles;
}

}  // namespace lufact
