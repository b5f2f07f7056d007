// SPDX-License-Identifier: BSD-3-Clause
// Panels of columns and the places that L and U may fill, an upper bound inside which the exact
// pattern is found.
#pragma once
#include <span>
#include <vector>

#include "core/base/uninitialized_array.hpp"
#include "core/columns/elimination_forest.hpp"
#include "core/columns/panel_bits.hpp"

namespace lufact {

// Panel J is the columns first[J] .. first[J+1]-1: a path of the elimination forest of B + B' with
// consecutive labels, at most panel_width of them. A vertex precedes its parent in any labelling,
// and so a panel precedes its parent.
struct Panels {
  std::vector<Index> first;   // count() + 1
  std::vector<Index> of;      // panel of each column
  std::vector<Index> next;    // parent in the forest of each panel's last column, or -1
  std::vector<Index> parent;  // panel of `next`, or -1

  Index count() const noexcept { return static_cast<Index>(first.size()) - 1; }
  Index width(Index panel) const noexcept {
    return first[static_cast<std::size_t>(panel) + 1] - first[static_cast<std::size_t>(panel)];
  }
};

Panels find_panels(std::span<const Index> parent);

// A slot (J, i) stands for row i of L and column i of U, i beyond panel J, where the forest allows
// entries in the panel's columns and rows: bit c of its lower word is entry (i, first[J] + c) of L,
// bit c of its upper word is entry (first[J] + c, i) of U. Inside panels bit c of diagonal[i] is
// entry (i, first + c), L and U alike.
struct PanelSlots {
  std::vector<Offset> ptr;             // panel J has the slots ptr[J] .. ptr[J+1]
  UninitializedArray<Index> row;       // of each slot, ascending in each panel
  UninitializedArray<Word> lower;      // of each slot
  UninitializedArray<Word> upper;      // of each slot; empty where the pattern is symmetric
  UninitializedArray<Word> diagonal;   // of each row
  std::vector<Offset> row_ptr;         // row i has the slots row_slot[row_ptr[i] .. row_ptr[i+1])
  UninitializedArray<Index> row_slot;  // ascending panels in each row
  UninitializedArray<Index> row_panel;

  const UninitializedArray<Word>& upper_words() const noexcept {
    return upper.size() == lower.size() ? upper : lower;
  }
};

// The slots of B with the bits of B's entries. Where the pattern is symmetric the bits are those
// of L + L' already: row i of L is the row subtree of i (Liu 1990, section 5), a suffix of each
// panel's path. Throws Error{unsupported, "index_overflow"} for more than 2^31 - 1 slots.
PanelSlots find_slots(const EarlierNeighbours& graph, const Panels& panels, int threads);

}  // namespace lufact
