// SPDX-License-Identifier: BSD-3-Clause
// A matrix on a group of lanes, rows staying where they are: lanes remember to which position
// LAPACK's exchanges would have brought each row.
#pragma once
#include <cmath>

#include "gpu/batch/ours/pivot_search.cuh"
#include "gpu/batch/ours/reciprocal.cuh"
#include "gpu/batch/ours/rows_task.cuh"

namespace lufact::gpu::ours {

template <class Real>
struct PivotStep {
  int lane;   // of the pivot row, in the warp
  bool here;  // whether that is this lane
  int row;    // which row of it; of other lanes: of their best one
  int from;   // the position that it had
  Real reciprocal;
};

template <class Lanes, class Real, int N, int R, int G>
struct RowsMatrix {
  using Shape = RowsShape<Real, N, R, G>;
  static constexpr int vector = Shape::vector;

  Real a[R][Shape::columns];
  int position[R];   // of each row, in the current order; -1: there is no such row
  Real scale[R];     // 1 / pivot of the rows that were one
  int lane;          // in the group
  Real row_size[R];  // sum of a row's magnitudes as they were read
  Real size = 0;     // of all of them: a bound of each, which a NaN spoils
  std::int32_t smallest_pivot = 0x7fffffff;  // a key

  // Entries of the group's matrix, at [j * N + i].
  LUFACT_LANE void read(const Real* matrix, int lane_of_group) {
    lane = lane_of_group;
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) row_size[r] = 0;
    LUFACT_UNROLL
    for (int c = 0; c < Shape::columns; ++c) {
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) {
        a[r][c] = c < N && exists(r) ? matrix[c * N + lane + r * G] : Real(0);
        row_size[r] += std::fabs(a[r][c]);  // additions have an own unit, comparisons wait
      }
    }
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      position[r] = exists(r) ? lane + r * G : -1;
      scale[r] = Real(1);
      size += row_size[r];
    }
  }

  // The same in all lanes of a group: zero or exceptional values were met, what was made of the
  // matrix is worth nothing, and it must be eliminated with care. All lanes call it.
  LUFACT_LANE bool needs_care() const {
    return Lanes::template largest<G>(key_of_value(size)) >=
               key_of_power<Real>(entry_exponent<Real> - N) ||
           smallest_pivot < key_of_power<Real>(pivot_exponent<Real>);
  }

  LUFACT_LANE bool exists(int r) const { return (r + 1) * G <= N || lane + r * G < N; }

  // The pivot of step k, whose column is `column`.
  LUFACT_LANE PivotStep<Real> find(const Real (&column)[R], int k) {
    const Pivot<Real> pivot = find_pivot<Lanes, G, Real, R>(column, position, k);
    int own_position = position[0];
    LUFACT_UNROLL
    for (int r = 1; r < R; ++r) own_position = pivot.row == r ? position[r] : own_position;
    smallest_pivot = pivot.key < smallest_pivot ? pivot.key : smallest_pivot;
    return {pivot.lane, pivot.here, pivot.row, Lanes::template shuffle<G>(own_position, pivot.lane),
            Lanes::template shuffle<G>(pivot.reciprocal, pivot.lane)};
  }

  // An entry of the pivot row, for all lanes.
  LUFACT_LANE Real of_pivot_row(const PivotStep<Real>& step, int column) const {
    Real entry = a[0][column];
    LUFACT_UNROLL
    for (int r = 1; r < R; ++r) entry = step.row == r ? a[r][column] : entry;
    return Lanes::template shuffle<G>(entry, step.lane);
  }

  LUFACT_LANE bool is_pivot(const PivotStep<Real>& step, int r) const {
    return step.here && (R == 1 || step.row == r);
  }

  // Row r after the exchange of step k.
  LUFACT_LANE void move(const PivotStep<Real>& step, int k, int r) {
    const bool pivot = is_pivot(step, r);
    position[r] = pivot ? k : (position[r] == k ? step.from : position[r]);
    scale[r] = pivot ? step.reciprocal : scale[r];
  }

  // Which of the panel's pivots row r is, after the panel, whose first pivot was `panel_first`: at
  // 0 to panel_columns - 1, else none.
  LUFACT_LANE unsigned slot(int panel_first, int r) const {
    return static_cast<unsigned>(position[r] - panel_first);
  }

  // Rows that are pivots of the panel go to shared memory, from vector `first` on.
  LUFACT_LANE void share_pivot_rows(int panel_first, int first, Real* panel) const {
    Lanes::sync();
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if (slot(panel_first, r) < panel_columns) {
        Real* row = panel + slot(panel_first, r) * Shape::row_stride;
        LUFACT_UNROLL
        for (int q = first; q < Shape::vectors; ++q) {
          store_vector(row + q * vector, &a[r][q * vector]);
        }
      }
    }
    Lanes::sync();
  }
};

}  // namespace lufact::gpu::ours
