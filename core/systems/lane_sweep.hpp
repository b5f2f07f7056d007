// SPDX-License-Identifier: BSD-3-Clause
// Solves with a small front by one lane, on host and device. Sums are taken in the order in which
// SmallFrontSweep (gpu/fronts/solve) takes them with the lanes of a warp.
#pragma once
#include "core/systems/lane_elimination.hpp"

namespace lufact {

// `vector`: lane_front_order entries of the lane, of the front's rows.
template <class T>
class LaneSweep {
 public:
  LUFACT_HOST_DEVICE LaneSweep(const LaneFront& front, LaneArray<const T> all_factors,
                               LaneArray<T> vector)
      : front_(front), factors_(all_factors.from(front.factors)), vector_(vector) {}

  // vector := the right-hand side at the pivots, `b` by position; 0 at contribution rows.
  LUFACT_HOST_DEVICE void begin(LaneArray<const T> b) const {
    for (Index i = 0; i < front_.pivots; ++i) vector_[i] = b[front_.first + i];
    for (Index i = front_.pivots; i < front_.order(); ++i) vector_[i] = T(0);
  }
  // Adds what a child contributes; `contributions` by contribution row.
  LUFACT_HOST_DEVICE void add(const LaneChild& child, const Index* parent_row,
                              LaneArray<const T> contributions) const {
    const Index* const to = parent_row + child.parent_rows;
    for (Index i = 0; i < child.rows; ++i) {
      vector_[to[i]] += contributions[child.parent_rows + i];
    }
  }
  // L \ vector at row i: the solution of a pivot, or the contribution of a row behind them.
  LUFACT_HOST_DEVICE T forward(Index i) const {
    const Index end = i < front_.pivots ? i : front_.pivots;
    T sum = T(0);
    for (Index k = 0; k < end; ++k) {
      sum = multiply_add(factors_[Offset{k} * front_.order() + i], vector_[k], sum);
    }
    return sum + vector_[i];
  }

  // vector := the solution at the front's rows, by position; `row`: FrontTree::row.
  LUFACT_HOST_DEVICE void gather(LaneArray<const T> solution, const Index* row) const {
    for (Index i = 0; i < front_.pivots; ++i) vector_[i] = solution[front_.first + i];
    for (Index i = 0; i < front_.rows; ++i) {
      vector_[front_.pivots + i] = solution[row[front_.parent_rows + i]];
    }
  }
  // U \ vector at pivot i. A warp cuts the columns among groups of its lanes, as many lanes as
  // pivots or the next power of two.
  LUFACT_HOST_DEVICE T backward(Index i) const {
    const Index pivots = front_.pivots;
    if (pivots <= 1) return sum_by<32>(i);
    if (pivots <= 2) return sum_by<16>(i);
    if (pivots <= 4) return sum_by<8>(i);
    if (pivots <= 8) return sum_by<4>(i);
    return pivots <= 16 ? sum_by<2>(i) : sum_by<1>(i);
  }

 private:
  // Entry (i, k) of the pivots' rows.
  LUFACT_HOST_DEVICE T upper(Index i, Index k) const {
    const Index pivots = front_.pivots, order = front_.order();
    return factors_[k < pivots ? Offset{k} * order + i
                               : Offset{pivots} * order + Offset{k - pivots} * pivots + i];
  }

  // Group g sums columns g, g + groups, ...; then the groups' sums are folded.
  template <int groups>
  LUFACT_HOST_DEVICE T sum_by(Index i) const {
    T sum[groups];
    LUFACT_UNROLL
    for (int g = 0; g < groups; ++g) sum[g] = T(0);
    for (Index first = 0; first < front_.order(); first += groups) {
      LUFACT_UNROLL
      for (int g = 0; g < groups; ++g) {
        const Index k = first + g;
        if (k >= i && k < front_.order()) sum[g] = multiply_add(upper(i, k), vector_[k], sum[g]);
      }
    }
    fold<groups>(sum);
    return sum[0];
  }

  // sum[0] := the sum of the first `width`, a power of two, the upper half added to the lower.
  template <int width, int groups>
  LUFACT_HOST_DEVICE static void fold(T (&sum)[groups]) {
    if constexpr (width > 1) {
      LUFACT_UNROLL
      for (int g = 0; g < width / 2; ++g) sum[g] += sum[g + width / 2];
      fold<width / 2>(sum);
    }
  }

  const LaneFront front_;  // a copy stays in registers
  LaneArray<const T> factors_;
  LaneArray<T> vector_;
};

}  // namespace lufact
