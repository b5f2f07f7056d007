// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/columns/panels.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// Writes the rows of L + U from the panels' bits, by several threads.
class PanelRows {
 public:
  // Counts the entries. Where the pattern is symmetric, adds the bits of U inside panels to
  // `slots`.
  PanelRows(const Panels& panels, PanelSlots& slots, bool symmetric, int threads);
  Offset entries() const noexcept { return row_ptr_.back(); }
  ColumnPattern write();

 private:
  void mirror_diagonal(Index panel) noexcept;
  void count_panel(Index panel) noexcept;
  void write_panel(Index panel, Index* columns) const noexcept;
  Index* write_lower(Index row, Index* out) const noexcept;
  template <class Body>
  void for_panels(const std::vector<Offset>& work, const Body& body) const;

  const Panels& panels_;
  PanelSlots& slots_;
  int threads_;
  std::vector<Offset> row_ptr_;   // of L + U
  std::vector<Offset> diagonal_;  // entries of each row of L, then positions of the diagonal
};

}  // namespace lufact
