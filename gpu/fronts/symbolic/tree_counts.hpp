// SPDX-License-Identifier: BSD-3-Clause
// Entries of the columns of the Cholesky factor of B + B', and the sets of columns to merge.
#pragma once
#include "core/fronts/analysis/amalgamation_set.hpp"
#include "gpu/components/carver.hpp"
#include "gpu/forest/panel_slots.hpp"

namespace lufact::gpu {

// Columns that stand side by side and are one set before the host merges any: columns with nested
// structure (Liu, Ng and Peyton 1993), or all of a subtree of at most always_amalgamated columns,
// which are merged whatever they are. Most sets of a sparse matrix are of the second kind.
struct ColumnSet {
  Index first = 0;    // column
  Index parent = -1;  // set, or -1 for a root
  Index order = 0;    // columns and the rows beyond them
  Index subtree = 0;  // sets in its subtree, itself included
  double zeros = 0;   // as in AmalgamationSet
};

// What the host is told, in one read.
struct CountFacts {
  Offset entries = 0;  // of all columns, diagonals included
  Index sets = 0;
  Index unused = 0;  // the read has it
};

struct CountArrays {
  static constexpr int counters = 3;

  Index* first_descendant = nullptr;  // of each column
  Index* weight = nullptr;            // of each column: see ColumnCounter; then `top`
  Offset* weights_before = nullptr;   // n + 1
  Index* count = nullptr;             // of each column
  Index* set_of = nullptr;            // of each column
  ColumnSet* set = nullptr;           // n places, of which `sets` are used
  Offset* partial = nullptr;          // for prefix sums, a place for each block
  Index* partial_sets = nullptr;
  Index* moving = nullptr;  // counters, by round
  CountFacts* facts = nullptr;

  // What is needed until the columns are counted, and until they have positions.
  void lay_out_work(Carver& carver, Index n, Offset blocks);
  void lay_out_results(Carver& carver, Index n);
};

// Column counts and sets of a pattern whose labels are a postorder. Gilbert, Ng and Peyton (SIAM J.
// Matrix Anal. Appl. 15, 1994) without an order of columns: neighbours that follow each other in a
// row say alone which columns are leaves of its subtree and where two leaves meet, and counts are
// differences of prefix sums. One kernel, one control read.
CountFacts count_columns(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                         const ForestArrays& forest, const EdgeLists& edges,
                         const CountArrays& arrays);

}  // namespace lufact::gpu
