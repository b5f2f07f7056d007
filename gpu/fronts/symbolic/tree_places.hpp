// SPDX-License-Identifier: BSD-3-Clause
// Relative indices of contribution rows in their parents, and places of B's entries in fronts.
#pragma once
#include "gpu/fronts/symbolic/tree_forest.hpp"
#include "gpu/fronts/symbolic/tree_rows.hpp"

namespace lufact::gpu {

// The fronts of a tree, as in FrontTree, for kernels.
struct FrontsRef {
  Index count = 0;
  const Index* first = nullptr;
  const Index* parent = nullptr;
  const Offset* row_ptr = nullptr;
  const Index* row = nullptr;
};

// Computes parent_row, the relative index, of every row of `rows`, the rows of `fronts`.
void place_in_parents(DeviceSession& session, const FrontsRef& fronts, const FrontRows& rows,
                      Index* parent_row);

// Entries of B by front, as in FrontTree.
struct FrontEntries {
  Offset* ptr = nullptr;  // fronts + 1
  Index *source = nullptr, *row = nullptr, *column = nullptr;
};

// Entries by column, for placing those below the diagonal, and work arrays.
struct EntryOrder {
  Offset* diagonal = nullptr;                    // position of each column's diagonal entry
  Index* below = nullptr;                        // n + 1: begin of each column in by_column
  Index *key = nullptr, *column_of = nullptr;    // of each entry, and sorted
  Index *entry = nullptr, *by_column = nullptr;  // sorted: below the diagonal first, by column
  Offset* before = nullptr;  // n + 1: entries that the pivots before each position assemble
  SortScratch sorting;

  void lay_out(DeviceSession& session, Carver& carver, Index n, Offset nnz);
};

// Fills all of `order` but `before`. Asynchronous; does not depend on amalgamation.
void sort_entries(DeviceSession& session, const PostorderedForest& forest, const EntryOrder& order);

// Places the entries of B. `positions.front_of` are numbers of `fronts`.
void place_entries(DeviceSession& session, const PostorderedForest& forest, const FrontsRef& fronts,
                   const PositionArrays& positions, const EntryOrder& order,
                   const FrontEntries& entries);

// front_of[k] becomes number[front_of[k]].
void renumber_fronts(DeviceSession& session, Index n, const Index* number, Index* front_of);

}  // namespace lufact::gpu
