// SPDX-License-Identifier: BSD-3-Clause
// Entries counted in the cells of a grid, so that a picture of any matrix is small.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact::plot {

// The positions 0 .. size-1 in cells of as equal sizes as can be: position i is in cell
// floor(i cells / size).
struct CellAxis {
  Offset size = 0;
  Index cells = 0;

  static CellAxis of(Offset size, Index most_cells) noexcept;
  Index cell_of(Offset position) const noexcept {
    return static_cast<Index>(position * cells / size);
  }
  // The first position of a cell; size for the cell behind the last.
  Offset begin(Index cell) const noexcept { return (cell * size + cells - 1) / cells; }
  Offset extent(Index cell) const noexcept { return begin(cell + 1) - begin(cell); }
};

struct DensityGrid {
  CellAxis rows, columns;
  std::vector<Offset> count;  // by rows of cells

  DensityGrid(const CellAxis& row_axis, const CellAxis& column_axis);
  Offset& at_cell(Index row, Index column) noexcept { return count[place(row, column)]; }
  Offset at_cell(Index row, Index column) const noexcept { return count[place(row, column)]; }
  // Entries of a cell over the positions that it has, 0 to 1.
  double density(Index row, Index column) const noexcept;
  Offset total() const noexcept;

 private:
  std::size_t place(Index row, Index column) const noexcept {
    return at(Offset{row} * columns.cells + column);
  }
};

inline constexpr Index most_pattern_cells = 256;

// Entries of a square pattern. O(n + nnz) time, O(n) memory and the grid.
DensityGrid pattern_density(const PatternView& pattern, Index most_cells = most_pattern_cells);

// Columns of an elimination forest by position and height, the largest height in row 0 of the grid.
DensityGrid tree_density(std::span<const Index> height, Index most_columns, Index most_rows);

}  // namespace lufact::plot
