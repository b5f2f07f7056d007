// SPDX-License-Identifier: BSD-3-Clause
// The contribution rows of fronts, without adding up children.
#pragma once
#include "gpu/components/carver.hpp"
#include "gpu/components/radix_sort.hpp"
#include "gpu/fronts/symbolic/tree_counts.hpp"

namespace lufact::gpu {

// Columns at the positions that merging gives them.
struct PositionArrays {
  Index* position = nullptr;  // of each column
  Index* column = nullptr;    // at each position
  Index* front_of = nullptr;  // of each column

  void lay_out(Carver& carver, Index n);
};

// `label` gets B's label of each position; `label_of` is by column, or null where the labels of the
// pattern are B's. `front_of_set` and `place_of_set` are AmalgamatedSets::now and place.
void place_columns(DeviceSession& session, Index n, const CountArrays& counts,
                   const Index* front_of_set, const Index* place_of_set, const Index* label_of,
                   const PositionArrays& positions, Index* label);

struct FrontRows {
  Offset count = 0;        // of all fronts
  Index* front = nullptr;  // of each row
  Index* row = nullptr;    // its position, ascending in each front
};

// Work arrays.
struct FoundRows {
  Offset* rows_before = nullptr;  // items of the edges + 1
  Offset* shift = nullptr;        // of each column
  Offset* partial = nullptr;      // for prefix sums, a place for each block
  Offset* partial_columns = nullptr;
  Index *front = nullptr, *row = nullptr;  // as FrontRows, by position of the row
  SortScratch sorting;

  void lay_out(DeviceSession& session, Carver& carver, const EdgeLists& edges, Offset count,
               Offset blocks);
};

// The rows of all fronts, whose number is known and of which there is one at least. Front f has row
// i beyond its pivots where its last pivot is in the row subtree of i (Liu 1990, section 5). From
// the earlier neighbours of i, taken in postorder, the forest of fronts is climbed up to the front
// of the next neighbour, or of i itself: the ways do not meet before, so that each is found once.
// `parent` is that of each front. Work: the edges and the rows; a way takes one thread, however
// long it is.
void find_front_rows(DeviceSession& session, const EdgeLists& edges, const Index* parent,
                     Index fronts, const PositionArrays& positions, const FoundRows& found,
                     const FrontRows& rows);

// Rows of fronts that get new numbers and are joined by others: those of front f move by shift[f].
void shift_rows(DeviceSession& session, const FrontRows& from, const Index* number,
                const Offset* shift, const FrontRows& to);

// A piece of an array of rows and where it goes.
struct RowCopy {
  Offset from = 0, to = 0;
  Index count = 0, front = 0;
};

// Copies rows; `front_to`, unless it is null, says at the same place of which front each is.
void copy_rows(DeviceSession& session, const RowCopy* copies, Offset count, const Index* from,
               Index* to, Index* front_to);

}  // namespace lufact::gpu
