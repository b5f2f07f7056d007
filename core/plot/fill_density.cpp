// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/fill_density.hpp"

#include <vector>

namespace lufact::plot {
namespace {

// How many labels of a set each cell has; cells with none are not listed.
class CellCounts {
 public:
  explicit CellCounts(Index cells) : count_(at(cells), 0) {}

  void add(Index cell) {
    if (count_[at(cell)]++ == 0) touched_.push_back(cell);
  }
  void clear() {
    for (const Index cell : touched_) count_[at(cell)] = 0;
    touched_.clear();
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Index cell : touched_) visit(cell, count_[at(cell)]);
  }

 private:
  std::vector<Offset> count_;
  std::vector<Index> touched_;
};

}  // namespace

DensityGrid fill_density(const FrontTree& nested, Index most_cells) {
  const CellAxis axis = CellAxis::of(nested.n, most_cells);
  DensityGrid grid(axis, axis);
  std::vector<Index> cell;
  cell.reserve(nested.label.size());
  for (const Index label : nested.label) cell.push_back(axis.cell_of(label));
  CellCounts columns(axis.cells), rows(axis.cells);
  for (Index f = 0; f < nested.fronts(); ++f) {
    columns.clear();
    rows.clear();
    for (Index k = nested.first[at(f)]; k < nested.first[at(f) + 1]; ++k) columns.add(cell[at(k)]);
    for (Offset p = nested.row_ptr[at(f)]; p < nested.row_ptr[at(f) + 1]; ++p) {
      rows.add(cell[at(nested.row[at(p)])]);
    }
    columns.for_each([&](Index column, Offset wide) {
      columns.for_each([&](Index row, Offset high) { grid.at_cell(row, column) += wide * high; });
      rows.for_each([&](Index row, Offset high) {
        grid.at_cell(row, column) += wide * high;
        grid.at_cell(column, row) += wide * high;
      });
    });
  }
  return grid;
}

}  // namespace lufact::plot
