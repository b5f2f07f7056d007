// SPDX-License-Identifier: BSD-3-Clause
// A block of 8 x 8 eliminated in the registers of one warp, two pivots at a time.
#pragma once
#include "gpu/components/quick_reciprocal.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"
#include "gpu/numeric/pivots.cuh"

namespace lufact::gpu {

// L and U of a 2 x 2 block: {{1, 0}, {l, 1}} * {{p, u}, {0, q}}.
template <class T>
class PivotPair {
 public:
  __device__ PivotPair(T p, T upper, T lower, T q)
      : u(upper), p_(p), lower_(lower), q_(q), determinant_(fma(p, q, -upper * lower)) {
    // q - l u = determinant / p: its reciprocal need not wait for that of p.
    inverse_p = quick_reciprocal(p);
    inverse_q = quick_reciprocal(determinant_) * p;
    l = lower * inverse_p;
  }

  T inverse_p, inverse_q, l, u;

  // Whether neither pivot is to be replaced, and the quick reciprocals are good.
  __device__ bool is_usable(const PivotRule<T>& rule) const {
    const T p = fabs(p_), determinant = fabs(determinant_);
    return (p > rule.threshold) & (determinant > rule.threshold * p) & is_quick(p_) &
           is_quick(determinant_);
  }

  // Computes the same, replacing pivots that are too small. `counters` is null in all lanes but the
  // one that accounts for the block.
  __device__ void replace_pivots(const PivotRule<T>& rule, NumericCounters* counters) {
    inverse_p = T(1) / replaced(p_, rule, counters);
    l = lower_ * inverse_p;
    inverse_q = T(1) / replaced(q_ - l * u, rule, counters);
  }

 private:
  __device__ static T replaced(T pivot, const PivotRule<T>& rule, NumericCounters* counters) {
    const T after = rule.apply(pivot);
    if (counters != nullptr) account_pivot(pivot, after, counters);
    return after;
  }

  T p_, lower_, q_, determinant_;
};

// A block in shared memory, and rows of the identity that are read like its own: one warp's.
template <class T>
struct BlockScratch {
  TwoEntries<T> entry[block_order][block_order / 2 + 1];  // no bank conflicts down a column
  TwoEntries<T> unit[2], minus_unit[2], zero;

  // By one lane, before anyone reads.
  __device__ void prepare() {
    unit[0] = {T(1), T(0)};
    unit[1] = {T(0), T(1)};
    minus_unit[0] = {T(-1), T(0)};
    minus_unit[1] = {T(0), T(-1)};
    zero = {T(0), T(0)};
  }
};

// One lane's two entries of the block, at its LanePlace. After every step the eliminated part holds
// the inverses of its L (unit diagonal not stored) and U; the rows below hold -L21 times the
// inverse of L, the columns to the right -(the inverse of U) times U12.
template <class T>
class SmallBlock {
 public:
  // Pivots from `pivots` on count as rows and columns of the identity.
  __device__ SmallBlock(T first, T second, int pivots) : entry_{first, second} {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int column = lane_.column + c;
      if (lane_.row >= pivots || column >= pivots) entry_[c] = lane_.row == column ? T(1) : T(0);
    }
  }

  // Without a branch unless a pivot has to be replaced; then the block is eliminated again if it is
  // `final`. Otherwise returns in each lane whether no pivot has to be, and no multiplier that the
  // lane sees is above `most`; if one lane says no, the block is of no use.
  __device__ bool eliminate(BlockScratch<T>& scratch, const PivotRule<T>& rule,
                            NumericCounters* counters, bool final, T most) {
    const SmallBlock before = *this;
    bool usable = true, modest = true;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const Multipliers l = eliminate_pair(
          step, scratch, [&](PivotPair<T>& pair) { usable &= pair.is_usable(rule); });
      modest &= l.within(most);
    }
    if (__builtin_expect(usable | !final, true)) return usable & modest;
    *this = before;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      eliminate_pair(step, scratch, [&](PivotPair<T>& pair) {
        if (!pair.is_usable(rule)) pair.replace_pivots(rule, counters);
      });
    }
    return true;
  }

  __device__ T entry(int c) const {
    return entry_[c];
  }

 private:
  static constexpr int steps = block_order / 2;

  // Entries of L of a pair: its own, and those of the lane's row where that is below.
  struct Multipliers {
    T own, first, second;

    // Not where one is NaN.
    __device__ bool within(T most) const {
      return (fabs(own) <= most) & (fabs(first) <= most) & (fabs(second) <= most);
    }
  };

  // All lanes compute entry -= A B, whatever their place, since branches would be taken one after
  // the other. Entries that become A, B or an inverse read rows of the identity as the other
  // factor. `judge` may replace the pivots.
  template <class Judge>
  __device__ Multipliers eliminate_pair(int step, BlockScratch<T>& scratch, const Judge& judge) {
    const int own = lane_.column / 2, rows = lane_.row / 2, second = lane_.row % 2;
    const bool in_rows = rows == step, in_columns = own == step, at_or_above = rows <= step;
    // Left of the pivots: rows above the pivots stay as they are, the pivots' rows become B.
    const bool outside = (own < step) & at_or_above;
    const TwoEntries<T>* left_place = &scratch.entry[lane_.row][step];
    if (in_rows) left_place = outside ? scratch.minus_unit + second : scratch.unit + second;
    if (outside & !in_rows) left_place = &scratch.zero;
    // In the pivots' columns: the pivots' rows and rows above become A, rows below A times the
    // inverse of L.
    const TwoEntries<T>* const unit = at_or_above ? scratch.minus_unit : scratch.unit;
    const TwoEntries<T>* const upper_place = in_columns ? unit : &scratch.entry[2 * step][own];
    const TwoEntries<T>* const lower_place =
        in_columns ? unit + 1 : &scratch.entry[2 * step + 1][own];
    scratch.entry[lane_.row][own] = {entry_[0], entry_[1]};
    __syncwarp();
    const TwoEntries<T> top = scratch.entry[2 * step][step];
    const TwoEntries<T> bottom = scratch.entry[2 * step + 1][step];
    const TwoEntries<T> left = *left_place, upper = *upper_place, lower = *lower_place;
    __syncwarp();
    PivotPair<T> pair(top.first, top.second, bottom.first, bottom.second);
    judge(pair);
    // This row times the inverse of the pair's U; the inverse of its L times these columns.
    T a0 = left.first * pair.inverse_p;
    T a1 = fma(-a0, pair.u, left.second) * pair.inverse_q;
    a0 = outside ? left.first : a0;
    a1 = outside ? left.second : a1;
    const T l = in_columns & at_or_above ? T(0) : pair.l;
    const bool replaced = in_rows | in_columns, corner = in_rows & in_columns & (second == 1);
    const T first = replaced ? T(0) : entry_[0], last = replaced ? T(0) : entry_[1];
    entry_[0] =
        subtract(corner ? -pair.l : first, a0, a1, upper.first, fma(-l, upper.first, lower.first));
    entry_[1] = subtract(last, a0, a1, upper.second, fma(-l, upper.second, lower.second));
    return {pair.l, at_or_above ? T(0) : a0, at_or_above ? T(0) : a1};
  }

  __device__ static T subtract(T entry, T a0, T a1, T b0, T b1) {
    return fma(-a1, b1, fma(-a0, b0, entry));
  }

  LanePlace lane_;
  T entry_[2];
};

}  // namespace lufact::gpu
