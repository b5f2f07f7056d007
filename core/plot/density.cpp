// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/density.hpp"

#include <algorithm>
#include <numeric>

namespace lufact::plot {

CellAxis CellAxis::of(Offset size, Index most_cells) noexcept {
  return {size, static_cast<Index>(std::min<Offset>(size, most_cells))};
}

DensityGrid::DensityGrid(const CellAxis& row_axis, const CellAxis& column_axis)
    : rows(row_axis),
      columns(column_axis),
      count(at(Offset{row_axis.cells} * column_axis.cells), 0) {}

double DensityGrid::density(Index row, Index column) const noexcept {
  return static_cast<double>(at_cell(row, column)) /
         (static_cast<double>(rows.extent(row)) * static_cast<double>(columns.extent(column)));
}

Offset DensityGrid::total() const noexcept {
  return std::accumulate(count.begin(), count.end(), Offset{0});
}

DensityGrid pattern_density(const PatternView& pattern, Index most_cells) {
  const CellAxis axis = CellAxis::of(pattern.n_rows, most_cells);
  DensityGrid grid(axis, axis);
  std::vector<Index> cell(at(pattern.n_rows));
  for (Index i = 0; i < pattern.n_rows; ++i) cell[at(i)] = axis.cell_of(i);
  for (Index i = 0; i < pattern.n_rows; ++i) {
    for (const Index j : pattern.row(i)) ++grid.at_cell(cell[at(i)], cell[at(j)]);
  }
  return grid;
}

DensityGrid tree_density(std::span<const Index> height, Index most_columns, Index most_rows) {
  const Index highest = height.empty() ? -1 : *std::ranges::max_element(height);
  const CellAxis rows = CellAxis::of(Offset{highest} + 1, most_rows);
  const CellAxis columns = CellAxis::of(std::ssize(height), most_columns);
  DensityGrid grid(rows, columns);
  for (std::size_t k = 0; k < height.size(); ++k) {
    ++grid.at_cell(rows.cell_of(highest - height[k]), columns.cell_of(static_cast<Offset>(k)));
  }
  return grid;
}

}  // namespace lufact::plot
