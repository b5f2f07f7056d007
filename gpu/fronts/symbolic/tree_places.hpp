// SPDX-License-Identifier: BSD-3-Clause
// Where contribution rows stand in the parents of fronts, and where entries of B do in fronts.
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

// parent_row of every row of `rows`, which are those of `fronts`.
void place_in_parents(DeviceSession& session, const FrontsRef& fronts, const FrontRows& rows,
                      Index* parent_row);

// Entries of B by front, as in FrontTree.
struct FrontEntries {
  Offset* ptr = nullptr;  // fronts + 1
  Index *source = nullptr, *row = nullptr, *column = nullptr;
};

// Entries by column, as those below the diagonal are placed, and work arrays.
struct EntryOrder {
  Offset* diagonal = nullptr;                  // of each column of the pattern: its diagonal entry
  Index* below = nullptr;                      // n + 1: of each column, the first in by_column
  Index *key = nullptr, *column_of = nullptr;  // of each entry, and sorted
  Index *entry = nullptr, *by_column = nullptr;  // entries below the diagonal first, by column
  Offset* before = nullptr;  // n + 1: entries that the pivots before each position assemble
  SortScratch sorting;

  void lay_out(DeviceSession& session, Carver& carver, Index n, Offset nnz);
};

// All of `order` but `before`; asynchronous, and what sets become of does not matter to it.
void sort_entries(DeviceSession& session, const PostorderedForest& forest, const EntryOrder& order);

// `positions.front_of` are fronts of `fronts`.
void place_entries(DeviceSession& session, const PostorderedForest& forest, const FrontsRef& fronts,
                   const PositionArrays& positions, const EntryOrder& order,
                   const FrontEntries& entries);

// front_of[k] becomes number[front_of[k]].
void renumber_fronts(DeviceSession& session, Index n, const Index* number, Index* front_of);

}  // namespace lufact::gpu
