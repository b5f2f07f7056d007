// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/position_set.hpp"

#include <algorithm>

#include "core/generate/row_builder.hpp"

namespace lufact::generate {

Positions PositionSet::sorted() const {
  Positions positions(positions_.begin(), positions_.end());
  std::sort(positions.begin(), positions.end());
  return positions;
}

CsrMatrix dominant_matrix(Index n, const Positions& positions,
                          const std::function<Index(Index row)>& own,
                          const std::function<Fixed(Index row, Index col)>& value) {
  RowBuilder rows(n, static_cast<Offset>(positions.size()));
  std::size_t k = 0;
  for (Index row = 0; row < n; ++row) {
    const Index dominant = own(row);
    for (; k < positions.size() && row_of(positions[k]) == row; ++k) {
      const Index col = col_of(positions[k]);
      if (col != dominant) rows.add(col, value(row, col));
    }
    rows.add_dominant_diagonal(dominant, kOne / 16);
    rows.end_row();
  }
  return rows.take();
}

}  // namespace lufact::generate
