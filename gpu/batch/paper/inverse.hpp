// SPDX-License-Identifier: BSD-3-Clause
// Inversion (BATCH sections 3 and 6): from a row of A a lane to a row of the inverse a lane. Where
// a pivot was zero, what they leave is not specified.
#pragma once
#include "gpu/batch/paper/inverse_tile.hpp"
#include "gpu/batch/paper/register_lu.hpp"
#include "gpu/batch/paper/triangular_solves.hpp"

namespace lufact::gpu::paper {

// ---- [A | I] in n x 2n registers ----

// U X = Y, Y behind U in the rows of the lanes. Rows are broadcast from the lane that holds them.
template <int n, int k, class Lanes, class Real>
LUFACT_LANES void solve_upper_rows(const Lanes& lanes, Real (&row)[2 * n], const LazyRow<Real>& own,
                                   const PivotReciprocal<Real>& reciprocal,
                                   const PivotNotes& notes) {
  const int holder = lanes.from(notes.holder, k);
  LUFACT_UNROLL
  for (int j = n; j < 2 * n; ++j) {
    if (own.position == k) row[j] = reciprocal.divide(row[j]);
    const Real x = lanes.from(row[j], holder);
    if (own.position < k) row[j] = eliminated(row[j], row[k], x);
  }
  if constexpr (k > 0) solve_upper_rows<n, k - 1>(lanes, row, own, reciprocal, notes);
}

// The factorization of [A | I] leaves [LU | Y], without a row moved; row `own.position` of the
// inverse is in the right half.
template <int n, class Lanes, class Real>
LUFACT_LANES void invert_augmented(const Lanes& lanes, Real (&row)[2 * n], LazyRow<Real>& own,
                                   PivotNotes& notes) {
  LUFACT_UNROLL
  for (int j = 0; j < n; ++j) row[n + j] = lanes.lane() == j ? Real{1} : Real{0};
  lazy_lu<n>(lanes, row, own, notes);
  solve_upper_rows<n, n - 1>(lanes, row, own, reciprocal_of(own.diagonal), notes);
}

// ---- n x n registers, L overwritten by its inverse ----

// As lazy_lu, but column j < k of the lanes holds the column of Y that belongs to the row pivoted
// at step j, instead of the multipliers of that step.
template <int n, int k = 0, class Lanes, class Real>
LUFACT_LANES void fused_lu(const Lanes& lanes, Real (&row)[n], LazyRow<Real>& own,
                           PivotNotes& notes) {
  if constexpr (k == 0) own.position = lanes.lane();
  if constexpr (k < n) {
    const Pivot pivot = lazy_pivot<n>(lanes, row[k], k, own.position, notes);
    const bool below = own.position > k;
    const Real value = eliminate<k>(lanes, row, pivot, pivot.lane, below);
    const Real l = row[k];
    eliminate_entries<0, k>(lanes, row, l, pivot.lane, below);
    if (below) row[k] = eliminated(Real{0}, l, Real{1});
    if (own.position == k) own.diagonal = value;
    fused_lu<n, k + 1>(lanes, row, own, notes);
  }
}

// Column j of inv(L), of which the tile holds what is below the diagonal.
template <int n, class Real>
LUFACT_LANES void get_lower_column(const InverseTile<Real, n>& tile, int j, Real (&column)[n]) {
  LUFACT_UNROLL
  for (int i = 0; i < n; ++i) {
    const Real entry = tile.entries[j * tile.ld + i];
    column[i] = i > j ? entry : i == j ? Real{1} : Real{0};
  }
}

// Rows through the tile into their order, second solve with a column a lane, the columns of the
// result through the tile into the order that the interchanges ask for.
template <int n, class Lanes, class Real>
LUFACT_LANES void invert_fused(const Lanes& lanes, Real (&row)[n], InverseTile<Real, n>& tile,
                               PivotNotes& notes) {
  const int lane = lanes.lane();
  LazyRow<Real> own;
  fused_lu<n>(lanes, row, own, notes);
  if (lane < n) {
    tile.put_row(own.position, row);
    tile.reciprocals[own.position] = reciprocal_of(own.diagonal);
  }
  lanes.sync();
  if (lane < n) {
    get_lower_column(tile, lane, row);
    solve_upper<n, tile.ld>(tile.entries, tile.reciprocals, row);
  }
  lanes.sync();
  if (lane < n) tile.put_column(notes.holder, row);
  lanes.sync();
  if (lane < n) tile.get_row(lane, row);
}

// ---- the steps of four launches ----

// The interchanges of a factorization, applied to I: the row, from 0, that row `column` of I moves
// to. `exchanged` of lane k is the row with which row k was exchanged.
template <int n, class Lanes>
LUFACT_LANES int interchanged_row(const Lanes& lanes, int column, int exchanged) {
  int row = column;
  LUFACT_UNROLL
  for (int k = 0; k < n; ++k) {
    const int other = lanes.from(exchanged, k);
    row = row == k ? other : row == other ? k : row;
  }
  return row;
}

// From a row a lane to a column a lane.
template <class Lanes, class Real, int n>
LUFACT_LANES void rows_to_columns(const Lanes& lanes, Real (&values)[n],
                                  InverseTile<Real, n>& tile) {
  if (lanes.lane() < n) tile.put_row(lanes.lane(), values);
  lanes.sync();
  if (lanes.lane() < n) tile.get_column(lanes.lane(), values);
  lanes.sync();
}

// And back.
template <class Lanes, class Real, int n>
LUFACT_LANES void columns_to_rows(const Lanes& lanes, Real (&values)[n],
                                  InverseTile<Real, n>& tile) {
  if (lanes.lane() < n) tile.put_column(lanes.lane(), values);
  lanes.sync();
  if (lanes.lane() < n) tile.get_row(lanes.lane(), values);
}

// The factors, a row a lane, into the tile, with the reciprocals of the diagonal.
template <class Lanes, class Real, int n>
LUFACT_LANES void put_factors(const Lanes& lanes, const Real (&factors)[n],
                              InverseTile<Real, n>& tile) {
  const int lane = lanes.lane();
  if (lane < n) {
    tile.put_row(lane, factors);
    tile.reciprocals[lane] = reciprocal_of(tile.entries[lane * tile.ld + lane]);
  }
  lanes.sync();
}

}  // namespace lufact::gpu::paper
