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
    copy(
        front_.pivots, [&](Index i) { return b[front_.first + i]; }, vector_);
    for (Index i = front_.pivots; i < front_.order(); ++i) vector_[i] = T(0);
  }
  // Adds what a child contributes; `contributions` by contribution row.
  LUFACT_HOST_DEVICE void add(const LaneChild& child, const Index* parent_row,
                              LaneArray<const T> contributions) const {
    const Index* const to = parent_row + child.parent_rows;
    load_then_store(
        child.rows, [&](Index i) { return contributions[child.parent_rows + i]; },
        [&](Index i, T value) { vector_[to[i]] += value; });
  }
  // L \ vector at row i: the solution of a pivot, or the contribution of a row behind them.
  LUFACT_HOST_DEVICE T forward(Index i) const {
    const Index end = i < front_.pivots ? i : front_.pivots;
    T sum = T(0);
    for (Index first = 0; first < end; first += batch) {
      T entry[batch];
      LUFACT_UNROLL
      for (int k = 0; k < batch; ++k) {
        entry[k] = first + k < end ? factors_[Offset{first + k} * front_.order() + i] : T(0);
      }
      LUFACT_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (first + k < end) sum = multiply_add(entry[k], vector_[first + k], sum);
      }
    }
    return sum + vector_[i];
  }

  // vector := the solution at the front's rows, by position; `row`: FrontTree::row.
  LUFACT_HOST_DEVICE void gather(LaneArray<const T> solution, const Index* row) const {
    copy(
        front_.pivots, [&](Index i) { return solution[front_.first + i]; }, vector_);
    copy(
        front_.rows, [&](Index i) { return solution[row[front_.parent_rows + i]]; },
        vector_.from(front_.pivots));
  }
  // U \ vector at pivot i. A warp cuts the columns among groups of its lanes, as many lanes as
  // pivots or the next power of two. For one pivot it makes 32 groups, of which 16 have a column.
  LUFACT_HOST_DEVICE T backward(Index i) const {
    const Index pivots = front_.pivots;
    static_assert(lane_front_order <= 16);
    if (pivots <= 2) return sum_by<16>(i);
    if (pivots <= 4) return sum_by<8>(i);
    return pivots <= 8 ? sum_by<4>(i) : sum_by<2>(i);
  }

 private:
  static constexpr int batch = 8;  // loads that overlap, since no store is between them

  // store(i, load(i)) for i < count, i ascending. A batch is loaded before any of it is stored.
  template <class Load, class Store>
  LUFACT_HOST_DEVICE static void load_then_store(Index count, const Load& load,
                                                 const Store& store) {
    for (Index first = 0; first < count; first += batch) {
      T loaded[batch];
      LUFACT_UNROLL
      for (int k = 0; k < batch; ++k) loaded[k] = first + k < count ? load(first + k) : T(0);
      LUFACT_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (first + k < count) store(first + k, loaded[k]);
      }
    }
  }
  // to[i] := value(i) for i < count.
  template <class Value>
  LUFACT_HOST_DEVICE static void copy(Index count, const Value& value, LaneArray<T> to) {
    load_then_store(count, value, [&](Index i, T loaded) { to[i] = loaded; });
  }

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
    constexpr int step = groups < batch ? batch : groups;
    for (Index first = i / step * step; first < front_.order(); first += step) {
      LUFACT_UNROLL
      for (int offset = 0; offset < step; offset += batch) {
        if (first + offset < front_.order()) add_batch<groups>(i, first + offset, offset, sum);
      }
    }
    fold<groups>(sum);
    return sum[0];
  }

  // Column first + k is one of group (offset + k) % groups.
  template <int groups>
  LUFACT_HOST_DEVICE void add_batch(Index i, Index first, int offset, T (&sum)[groups]) const {
    T entry[batch];
    LUFACT_UNROLL
    for (int k = 0; k < batch; ++k) {
      const bool inside = first + k >= i && first + k < front_.order();
      entry[k] = inside ? upper(i, first + k) : T(0);
    }
    LUFACT_UNROLL
    for (int k = 0; k < batch; ++k) {
      T& own = sum[(offset + k) % groups];
      if (first + k >= i && first + k < front_.order()) {
        own = multiply_add(entry[k], vector_[first + k], own);
      }
    }
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
