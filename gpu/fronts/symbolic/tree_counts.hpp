// SPDX-License-Identifier: BSD-3-Clause
// Column counts of the Cholesky factor of B + B', and its supernodes before amalgamation.
#pragma once
#include "core/fronts/analysis/amalgamation_set.hpp"
#include "gpu/components/carver.hpp"
#include "gpu/forest/panel_slots.hpp"

namespace lufact::gpu {

// A supernode of consecutive columns before the host amalgamates: columns with nested structure
// (Liu, Ng and Peyton 1993), or a whole subtree of at most always_amalgamated columns, which is
// merged in any case. Most supernodes of a sparse matrix are of the second kind.
struct ColumnSet {
  Index first = 0;    // column
  Index parent = -1;  // set, or -1 for a root
  Index order = 0;    // columns plus contribution rows
  Index subtree = 0;  // sets in its subtree, itself included
  double zeros = 0;   // as in AmalgamationSet
};

// Figures that the host reads, all in one read.
struct CountFacts {
  Offset entries = 0;  // of all columns, diagonals included
  Index sets = 0;
  Index unused = 0;  // padding
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

  // Work arrays are needed until columns are counted, results until columns have positions.
  void lay_out_work(Carver& carver, Index n, Offset blocks);
  void lay_out_results(Carver& carver, Index n);
};

// Column counts and sets of a pattern whose labels are a postorder. The algorithm of Gilbert, Ng
// and Peyton (SIAM J. Matrix Anal. Appl. 15, 1994) for all columns at once: pairs of consecutive
// neighbours of a row suffice to tell the leaves of its row subtree and where two leaves meet;
// counts are differences of prefix sums. One kernel, one control read.
CountFacts count_columns(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                         const ForestArrays& forest, const EdgeLists& edges,
                         const CountArrays& arrays);

}  // namespace lufact::gpu
