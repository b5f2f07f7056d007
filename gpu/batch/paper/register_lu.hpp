// SPDX-License-Identifier: BSD-3-Clause
// LU factorization with a row of registers a lane (BATCH sections 4 and 5). Lanes from n on hold
// zeros and only take part in the butterfly.
#pragma once
#include "gpu/batch/paper/elimination.hpp"
#include "gpu/batch/paper/pivot_search.hpp"

namespace lufact::gpu::paper {

// Entries first to last - 1 of the lanes `below` the pivot row, which `holder` has.
template <int first, int last, class Lanes, class Real, int columns>
LUFACT_LANES void eliminate_entries(const Lanes& lanes, Real (&row)[columns], Real l, int holder,
                                    bool below) {
  LUFACT_UNROLL
  for (int j = first; j < last; ++j) {
    const Real u = lanes.from(row[j], holder);
    if (below) row[j] = eliminated(row[j], l, u);
  }
}

// Step k for the columns behind k. Returns the pivot.
template <int k, class Lanes, class Real, int columns>
LUFACT_LANES Real eliminate(const Lanes& lanes, Real (&row)[columns], const Pivot& pivot,
                            int holder, bool below) {
  const Real value = lanes.from(row[k], holder);
  if (below) row[k] = multiplier(row[k], value, pivot.zero);
  eliminate_entries<k + 1, columns>(lanes, row, row[k], holder, below);
  return value;
}

// Exchanges rows k and `other` between their lanes.
template <class Lanes, class Real, int columns>
LUFACT_LANES void exchange_rows(const Lanes& lanes, Real (&row)[columns], int k, int other) {
  const int lane = lanes.lane();
  const int source = lane == k ? other : lane == other ? k : lane;
  LUFACT_UNROLL
  for (int j = 0; j < columns; ++j) row[j] = lanes.from(row[j], source);
}

// Interchanges at every step: lane i ends with row i of L and U.
template <int n, int k = 0, class Lanes, class Real>
LUFACT_LANES void greedy_lu(const Lanes& lanes, Real (&row)[n], PivotNotes& notes) {
  if constexpr (k < n) {
    const int lane = lanes.lane();
    const Pivot pivot = find_pivot(lanes, row[k], lane, lane >= k && lane < n);
    note_pivot(notes, lane, k, pivot);
    exchange_rows(lanes, row, k, pivot.lane);
    eliminate<k>(lanes, row, pivot, k, lane > k);
    greedy_lu<n, k + 1>(lanes, row, notes);
  }
}

// What a lane knows of its row, which no interchange has moved.
template <class Real>
struct LazyRow {
  int position = 0;   // in L and U
  Real diagonal = 0;  // of U, in that row
};

// Step k of the search without interchanges; updates the lane's position.
template <int n, class Lanes, class Real>
LUFACT_LANES Pivot lazy_pivot(const Lanes& lanes, Real entry, int k, int& position,
                              PivotNotes& notes) {
  const Pivot pivot = find_pivot(lanes, entry, position, position >= k && lanes.lane() < n);
  note_pivot(notes, lanes.lane(), k, pivot);
  position = position_after(position, k, pivot);
  return pivot;
}

// No interchange: a lane remembers whether its row was a pivot, and ends with row `position` of L
// and U (BATCH Fig. 6). Of an augmented matrix, columns behind n are eliminated along.
template <int n, int k = 0, class Lanes, class Real, int columns>
LUFACT_LANES void lazy_lu(const Lanes& lanes, Real (&row)[columns], LazyRow<Real>& own,
                          PivotNotes& notes) {
  if constexpr (k == 0) own.position = lanes.lane();
  if constexpr (k < n) {
    const Pivot pivot = lazy_pivot<n>(lanes, row[k], k, own.position, notes);
    const Real value = eliminate<k>(lanes, row, pivot, pivot.lane, own.position > k);
    if (own.position == k) own.diagonal = value;
    lazy_lu<n, k + 1>(lanes, row, own, notes);
  }
}

}  // namespace lufact::gpu::paper
