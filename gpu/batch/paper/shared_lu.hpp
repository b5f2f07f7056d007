// SPDX-License-Identifier: BSD-3-Clause
// LU factorization of a matrix in shared memory, by columns with leading dimension ld (BATCH
// section 4, "1D vs. 2D" and "Initial Designs"). Every thread searches the pivot, without a word to
// the others.
#pragma once
#include "gpu/batch/paper/elimination.hpp"
#include "gpu/batch/paper/pivot_search.hpp"

namespace lufact::gpu::paper {

// n lanes: lane j exchanges the entries of column j, lane i scales and updates row i, column by
// column.
template <int n, int ld, class Lanes, class Real>
LUFACT_LANES void shared_lu_by_rows(const Lanes& lanes, Real* a, PivotNotes& notes) {
  const int lane = lanes.lane();
  LUFACT_UNROLL
  for (int k = 0; k < n; ++k) {
    const Pivot pivot = find_pivot_alone<n>(a + k * ld, k);
    note_pivot(notes, lane, k, pivot);
    lanes.sync();
    if (pivot.position != k) {
      const Real upper = a[lane * ld + k];
      a[lane * ld + k] = a[lane * ld + pivot.position];
      a[lane * ld + pivot.position] = upper;
    }
    lanes.sync();
    if (lane > k) {
      const Real l = multiplier(a[k * ld + lane], a[k * ld + k], pivot.zero);
      a[k * ld + lane] = l;
      LUFACT_UNROLL
      for (int j = k + 1; j < n; ++j) {
        a[j * ld + lane] = eliminated(a[j * ld + lane], l, a[j * ld + k]);
      }
    }
    lanes.sync();
  }
}

// n x n threads, one an entry: Threads has row(), column() and sync() of the block.
template <int n, int ld, class Threads, class Real>
LUFACT_LANES void shared_lu_by_entries(const Threads& threads, Real* a, PivotNotes& notes) {
  const int i = threads.row(), j = threads.column();
  Real* const column = a + j * ld;
  LUFACT_UNROLL
  for (int k = 0; k < n; ++k) {
    const Pivot pivot = find_pivot_alone<n>(a + k * ld, k);
    note_pivot(notes, i, k, pivot);
    threads.sync();
    if (i == k && pivot.position != k) {
      const Real upper = column[k];
      column[k] = column[pivot.position];
      column[pivot.position] = upper;
    }
    threads.sync();
    if (i > k && j == k) column[i] = multiplier(column[i], column[k], pivot.zero);
    threads.sync();
    if (i > k && j > k) column[i] = eliminated(column[i], a[k * ld + i], column[k]);
    threads.sync();
  }
}

}  // namespace lufact::gpu::paper
