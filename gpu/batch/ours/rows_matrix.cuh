// SPDX-License-Identifier: BSD-3-Clause
// A matrix on a group of lanes, rows staying where they are: lanes remember to which position
// LAPACK's exchanges would have brought each row.
#pragma once
#include "gpu/batch/ours/pivot_search.cuh"
#include "gpu/batch/ours/reciprocal.cuh"
#include "gpu/batch/ours/rows_shape.cuh"

namespace lufact::gpu::ours {

template <class Real>
struct PivotStep {
  int lane;  // of the pivot row, in the group
  int row;   // which row of it; of other lanes: of their best one
  int from;  // the position that it had
  Real reciprocal;
};

template <class Lanes, class Real, int N, int R, int G>
struct RowsMatrix {
  using Shape = RowsShape<Real, N, R, G>;
  static constexpr int vector = Shape::vector;
  static constexpr int sign_bit = -0x7fffffff - 1;

  Real a[R][Shape::columns];
  int position[R];  // of each row, in the current order; -1: there is no such row
  Real scale[R];    // 1 / pivot of the rows that were one
  int finished[R];  // the sign bit for a row that is or was a pivot, or is none; else 0
  int lane;         // in the group
  std::int32_t largest_entry = 0, smallest_pivot = 0x7fffffff;  // keys

  // Entries of the group's matrix, at [j * N + i].
  LUFACT_LANE void read(const Real* matrix, int lane_of_group) {
    lane = lane_of_group;
    LUFACT_UNROLL
    for (int c = 0; c < Shape::columns; ++c) {
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) {
        a[r][c] = c < N && exists(r) ? matrix[c * N + lane + r * G] : Real(0);
        const std::int32_t key = key_of_value(a[r][c]);
        largest_entry = key > largest_entry ? key : largest_entry;
      }
    }
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      position[r] = exists(r) ? lane + r * G : -1;
      finished[r] = exists(r) ? 0 : sign_bit;
      scale[r] = Real(1);
    }
  }

  // The same in all lanes of a group: zero or exceptional values were met, what was made of the
  // matrix is worth nothing, and it must be eliminated with care. All lanes call it.
  LUFACT_LANE bool needs_care() const {
    return Lanes::template largest<G>(largest_entry) >=
               key_of_power<Real>(entry_exponent<Real> - N) ||
           smallest_pivot < key_of_power<Real>(pivot_exponent<Real>);
  }

  LUFACT_LANE bool exists(int r) const { return (r + 1) * G <= N || lane + r * G < N; }

  // The pivot of step k, among the entries of `column` whose rows are not finished.
  LUFACT_LANE PivotStep<Real> find(const Real (&column)[R], int k) {
    const Pivot<Real> pivot = find_pivot<Lanes, G, Real, R>(column, finished, position, k);
    int own_position = position[0];
    LUFACT_UNROLL
    for (int r = 1; r < R; ++r) own_position = pivot.row == r ? position[r] : own_position;
    smallest_pivot = pivot.key < smallest_pivot ? pivot.key : smallest_pivot;
    return {pivot.lane, pivot.row, Lanes::template shuffle<G>(own_position, pivot.lane),
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
    return lane == step.lane && (R == 1 || step.row == r);
  }

  // Row r after the exchange of step k.
  LUFACT_LANE void move(const PivotStep<Real>& step, int k, int r) {
    const bool pivot = is_pivot(step, r);
    position[r] = pivot ? k : (position[r] == k ? step.from : position[r]);
    finished[r] = pivot ? sign_bit : finished[r];
    scale[r] = pivot ? step.reciprocal : scale[r];
  }

  // Rows that are pivots of the panel (slot >= 0) go to shared memory, from vector `first` on.
  LUFACT_LANE void share_pivot_rows(int first, const int (&slot)[R], Real* panel) const {
    Lanes::sync();
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if (slot[r] >= 0) {
        Real* row = panel + slot[r] * Shape::row_stride;
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
