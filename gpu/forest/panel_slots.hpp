// SPDX-License-Identifier: BSD-3-Clause
// Panels of columns and the places that the factors of B may fill: the bound on which the exact
// pattern is found. The device's form of core/columns/panels.hpp.
#pragma once
#include <cstdint>

#include "gpu/components/carver.hpp"
#include "gpu/components/radix_sort.hpp"
#include "gpu/forest/elimination_forest.hpp"

namespace lufact::gpu {

struct PanelFacts {
  Offset slots = 0;
  Index panels = 0;
  Index height = 0;  // of their forest, of an unsymmetric pattern once its slots are found
};

// Panel J is the columns first[J] .. first[J+1]-1: a path of the elimination forest of B + B' with
// consecutive labels, at most 32 of them. Panels precede their parents.
struct PanelArrays {
  Index* of = nullptr;        // panel of each column
  Index* first = nullptr;     // count + 1 of n + 1 places
  Index* next = nullptr;      // parent in the forest of each panel's last column, or n
  Index* parent = nullptr;    // panel of `next`, or -1
  Index* children = nullptr;  // of each panel
  // Of each row i its part inside the panel: bit c is entry (i, first + c), L and U alike. Zeros at
  // first.
  std::uint32_t* diagonal = nullptr;
  // Of each edge of the graph the slots before it, and their number at the end.
  Offset* slots_before = nullptr;
  Offset* partial = nullptr;  // for prefix sums, a place for each block
  Index* partial_starts = nullptr;
  Index* partial_heads = nullptr;
  PanelFacts* facts = nullptr;  // zeros before
};

// The edges of the graph of B + B' by later end, and those of one vertex in postorder of their
// earlier ends.
struct EdgeLists {
  Index n = 0;
  Offset count = 0;  // items, not all of which need be edges
  // Where the labels are a postorder and the pattern is symmetric: entries of B.
  PatternRef matrix;
  const Index* row_of = nullptr;
  // Otherwise, later end times 2^bits plus place of the earlier end in the postorder.
  const std::uint64_t* keys = nullptr;
  int bits = 0;
  // By place, the vertex; by vertex, the place. Null where the labels are a postorder.
  const Index* vertex_at = nullptr;
  const Index* place_of = nullptr;
};

// Of an unsymmetric pattern, all that is to know of a panel in one load.
struct alignas(32) PanelInfo {
  Index first = 0, width = 0;  // columns
  Index begin = 0, count = 0;  // slots
  Index parent = -1;           // panel
  Index children = 0;
  Index unused[2] = {0, 0};  // the load has them
};

// A slot (J, i) stands for row i and column i beyond panel J where the forest lets them have
// entries in the panel's columns and rows: bit c of its lower word is entry (i, first[J] + c) of L,
// bit c of its upper word is entry (first[J] + c, i) of U.
struct SlotArrays {
  Index count = 0;
  bool symmetric = false;
  Index* ptr = nullptr;            // panel J has the slots ptr[J] .. ptr[J+1]
  Index* row = nullptr;            // of each slot, ascending in each panel
  Index* panel = nullptr;          // of each slot
  std::uint32_t* lower = nullptr;  // of each slot
  std::uint32_t* upper = nullptr;  // of each slot; the same array for a symmetric pattern
  Index* row_ptr = nullptr;        // row i has the slots row_slot[row_ptr[i] .. row_ptr[i+1])
  Index* row_slot = nullptr;       // ascending panels in each row
  Index* parent_slot = nullptr;    // of each slot: the parent panel's with the same row, or -1
  PanelInfo* info = nullptr;       // of each panel

  void lay_out(Carver& carver, Index n, Index panels);
};

// Where the elimination of an unsymmetric pattern stands.
struct FrontArrays {
  static constexpr Index counter_count = 3;

  Index* open_children = nullptr;  // of each panel: how many are not finished
  Index* waiting = nullptr;        // panels whose children are finished, for the larger blocks
  Index* counters = nullptr;       // turns of both launches, panels that wait; zeros at first
  Index* heights = nullptr;        // work arrays of the height of the forest

  void lay_out(Carver& carver, Index panels);
};

// Work arrays while the slots are found: in the order in which edges find them, by row.
struct FoundArrays {
  Index *row = nullptr, *panel = nullptr, *number = nullptr;
  std::uint32_t* word = nullptr;  // of a symmetric pattern
  Index* of_slot = nullptr;       // by slot, where it was found
  SortScratch sorting;

  void lay_out(DeviceSession& session, Carver& carver, const SlotArrays& slots);
};

// The slots of B with the bits of B's entries. Where the pattern is symmetric the bits are those of
// L already, but for the diagonal blocks, which hold the columns that the row subtree (Liu 1990,
// section 5) enters the panel by. Otherwise `fronts` is set to the start of the elimination.
void find_slots(DeviceSession& session, const PatternRef& matrix, const Index* row_of, Offset nnz,
                const EdgeLists& edges, const PanelArrays& panels, Index panel_count,
                const SlotArrays& slots, const FoundArrays& found, const FrontArrays& fronts);

}  // namespace lufact::gpu
