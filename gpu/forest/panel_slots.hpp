// SPDX-License-Identifier: BSD-3-Clause
// Panels of columns and the places that L and U may fill, an upper bound inside which the exact
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
  Index height = 0;  // of the panels' forest; unsymmetric patterns only, after find_slots
};

// Panel J is the columns first[J] .. first[J+1]-1: a path of the elimination forest of B + B' with
// consecutive labels, at most 32 of them. Panels precede their parents.
struct PanelArrays {
  Index* of = nullptr;        // panel of each column
  Index* first = nullptr;     // count + 1 of n + 1 places
  Index* next = nullptr;      // parent in the forest of each panel's last column, or n
  Index* parent = nullptr;    // panel of `next`, or -1
  Index* children = nullptr;  // of each panel
  // For each row i, its entries inside its panel: bit c is entry (i, first + c), of L and of U.
  // Zeros at first.
  std::uint32_t* diagonal = nullptr;
  // For each edge of the graph, the number of slots before it; then the number of all slots.
  Offset* slots_before = nullptr;
  Offset* partial = nullptr;  // for prefix sums, a place for each block
  Index* partial_starts = nullptr;
  Index* partial_heads = nullptr;
  PanelFacts* facts = nullptr;  // zeros before
};

// The edges of the graph of B + B' by later end, and for equal later ends in postorder of their
// earlier ends.
struct EdgeLists {
  Index n = 0;
  Offset count = 0;  // items, not all of which need be edges
  // The entries of B, where the labels are a postorder and the pattern is symmetric.
  PatternRef matrix;
  const Index* row_of = nullptr;
  // Otherwise, later end times 2^bits plus place of the earlier end in the postorder.
  const std::uint64_t* keys = nullptr;
  int bits = 0;
  // By place, the vertex; by vertex, the place. Null where the labels are a postorder.
  const Index* vertex_at = nullptr;
  const Index* place_of = nullptr;
};

// All facts of a panel in one 32-byte load, for an unsymmetric pattern.
struct alignas(32) PanelInfo {
  Index first = 0, width = 0;  // columns
  Index begin = 0, count = 0;  // slots
  Index parent = -1;           // panel
  Index children = 0;
  Index unused[2] = {0, 0};  // padding to 32 bytes
};

// A slot (J, i) stands for row i of L and column i of U, i beyond panel J, where the forest allows
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

// State of the elimination on an unsymmetric pattern.
struct FrontArrays {
  static constexpr Index counter_count = 3;

  Index* open_children = nullptr;  // of each panel: number not finished
  Index* waiting = nullptr;        // panels whose children are finished, for the larger blocks
  Index* counters = nullptr;       // turns of both launches, waiting panels; zeros at first
  Index* heights = nullptr;        // work arrays of the height of the forest

  void lay_out(Carver& carver, Index panels);
};

// Work arrays of the search for slots, in the order in which edges find slots, by row.
struct FoundArrays {
  Index *row = nullptr, *panel = nullptr, *number = nullptr;
  std::uint32_t* word = nullptr;  // of a symmetric pattern
  Index* of_slot = nullptr;       // by slot: its place in the order above
  SortScratch sorting;

  void lay_out(DeviceSession& session, Carver& carver, const SlotArrays& slots);
};

// The slots of B with the bits of B's entries. Where the pattern is symmetric the bits are those of
// L already, except in diagonal blocks: these hold the columns by which the row subtree (Liu 1990,
// section 5) enters the panel. Otherwise `fronts` is set to the start of the elimination.
void find_slots(DeviceSession& session, const PatternRef& matrix, const Index* row_of, Offset nnz,
                const EdgeLists& edges, const PanelArrays& panels, Index panel_count,
                const SlotArrays& slots, const FoundArrays& found, const FrontArrays& fronts);

}  // namespace lufact::gpu
