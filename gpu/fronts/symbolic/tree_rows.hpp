// SPDX-License-Identifier: BSD-3-Clause
// The contribution rows of fronts, without adding up children.
#pragma once
#include "gpu/components/carver.hpp"
#include "gpu/components/radix_sort.hpp"
#include "gpu/fronts/symbolic/tree_counts.hpp"

namespace lufact::gpu {

// The positions that amalgamation gives to columns.
struct PositionArrays {
  Index* position = nullptr;  // of each column
  Index* column = nullptr;    // at each position
  Index* front_of = nullptr;  // of each column

  void lay_out(Carver& carver, Index n);
};

// Fills `positions`, and `label` with B's labels; `label_of` is by column, null where labels are
// B's. `front_of_set` and `place_of_set` are AmalgamatedSets::now and place.
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

// Finds the rows of all fronts; their number is known and not 0. Front f has contribution row
// i where its last pivot is in the row subtree of i (Liu 1990, section 5). The earlier
// neighbours of i, taken in postorder, climb the forest of fronts up to the front of the next
// neighbour, or of i itself. These paths do not meet before, so that each front is found once.
// `parent` is the parent of each front. Work: edges plus rows; one thread climbs a path,
// however long.
void find_front_rows(DeviceSession& session, const EdgeLists& edges, const Index* parent,
                     Index fronts, const PositionArrays& positions, const FoundRows& found,
                     const FrontRows& rows);

// Moves rows when fronts are renumbered and grouping fronts come in: rows of front f by shift[f].
void shift_rows(DeviceSession& session, const FrontRows& from, const Index* number,
                const Offset* shift, const FrontRows& to);

// A piece of an array of rows, its destination and its front.
struct RowCopy {
  Offset from = 0, to = 0;
  Index count = 0, front = 0;
};

// Copies rows; `front_to`, unless null, gets the front of each row at the same place.
void copy_rows(DeviceSession& session, const RowCopy* copies, Offset count, const Index* from,
               Index* to, Index* front_to);

}  // namespace lufact::gpu
