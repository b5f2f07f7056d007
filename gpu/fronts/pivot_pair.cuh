// SPDX-License-Identifier: BSD-3-Clause
// A block of 8 x 8 eliminated in the registers of one warp, two pivots at a time.
#pragma once
#include "gpu/fronts/tile_layout.cuh"
#include "gpu/numeric/pivots.cuh"

namespace lufact::gpu {

// 1 / x to within an ulp or two where is_quick(x); faster than a division.
__device__ inline double quick_reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  // r is good to 23 bits: the error e of x r leaves 1 + e + e^2 to multiply with.
  const double e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
}
__device__ inline float quick_reciprocal(float x) {
  return __frcp_rn(x);
}

// Whether |x| is in about [1e-290, 1e290], or [1e-36, 1e36]: seen from the exponent alone.
__device__ inline bool is_quick(double x) {
  constexpr unsigned low = 60U << 20, high = 1986U << 20;
  return (static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffU) - low < high - low;
}
__device__ inline bool is_quick(float x) {
  constexpr unsigned low = 8U << 23, high = 246U << 23;
  return (__float_as_uint(x) & 0x7fffffffU) - low < high - low;
}

// L and U of a 2 x 2 block: {{1, 0}, {l, 1}} * {{p, u}, {0, q}}.
template <class T>
struct PivotPair {
  T inverse_p, inverse_q, l, u;

  // `counters` is null in all lanes but the one that accounts for the block.
  __device__ PivotPair(T p, T upper, T lower, T q, const PivotRule<T>& rule,
                       NumericCounters* counters)
      : u(upper) {
    // q - l u = determinant / p: its reciprocal need not wait for that of p, nor any of this for
    // the decision whether it is of use.
    const T determinant = fma(p, q, -upper * lower);
    inverse_p = quick_reciprocal(p);
    inverse_q = quick_reciprocal(determinant) * p;
    const bool usable = fabs(p) > rule.threshold && fabs(determinant) > rule.threshold * fabs(p) &&
                        is_quick(p) && is_quick(determinant);
    if (!usable) inverse_p = T(1) / replaced(p, rule, counters);
    l = lower * inverse_p;
    if (!usable) inverse_q = T(1) / replaced(q - l * upper, rule, counters);
  }

 private:
  __device__ static T replaced(T pivot, const PivotRule<T>& rule, NumericCounters* counters) {
    const T after = rule.apply(pivot);
    if (counters != nullptr) account_pivot(pivot, after, counters);
    return after;
  }
};

// One lane's two entries of the block, in the place that LanePlace says. After every step the part
// that is eliminated holds the inverses of its L (unit diagonal not stored) and U; the rows below
// hold -L21 times the inverse of L, the columns to the right -(the inverse of U) times U12.
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

  __device__ void eliminate(const PivotRule<T>& rule, NumericCounters* counters) {
#pragma unroll 1
    for (int step = 0; step < block_order / 2; ++step) eliminate_pair(step, rule, counters);
  }

  __device__ T entry(int c) const {
    return entry_[c];
  }

 private:
  // Entry of the lane that holds (row, 2 * pair + c).
  __device__ T of(int row, int pair, int c) const {
    return __shfl_sync(0xffffffffU, entry_[c], row * 4 + pair);
  }

  __device__ void eliminate_pair(int step, const PivotRule<T>& rule, NumericCounters* counters) {
    const int top = 2 * step, bottom = top + 1, own = lane_.column / 2;
    const PivotPair<T> pair(of(top, step, 0), of(top, step, 1), of(bottom, step, 0),
                            of(bottom, step, 1), rule, counters);
    // This row times the inverse of the pair's U; the inverse of its L times these columns.
    const T left = of(lane_.row, step, 0), right = of(lane_.row, step, 1);
    const T a0 = left * pair.inverse_p;
    const T a1 = fma(-a0, pair.u, right) * pair.inverse_q;
    T b0[2], b1[2];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      b0[c] = of(top, own, c);
      b1[c] = fma(-pair.l, b0[c], of(bottom, own, c));
    }
    const int rows = lane_.row / 2;
    if (rows == step) {
      replace_pivot_row(pair, own, step, b0, b1);
    } else if (own == step) {
      entry_[0] = rows > step ? fma(a1, pair.l, -a0) : a0;
      entry_[1] = rows > step ? -a1 : a1;
    } else if (rows > step || own > step) {
#pragma unroll
      for (int c = 0; c < 2; ++c) entry_[c] = fma(-a1, b1[c], fma(-a0, b0[c], entry_[c]));
    }
  }

  __device__ void replace_pivot_row(const PivotPair<T>& pair, int own, int step, const T (&b0)[2],
                                    const T (&b1)[2]) {
    const bool upper_row = lane_.row % 2 == 0;
    if (own == step) {
      entry_[0] = upper_row ? pair.inverse_p : -pair.l;
      entry_[1] = upper_row ? -pair.u * pair.inverse_p * pair.inverse_q : pair.inverse_q;
      return;
    }
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const T scaled = b1[c] * pair.inverse_q;
      if (own < step) {
        entry_[c] = upper_row ? b0[c] : b1[c];
      } else {
        entry_[c] = upper_row ? fma(pair.u, scaled, -b0[c]) * pair.inverse_p : -scaled;
      }
    }
  }

  LanePlace lane_;
  T entry_[2];
};

}  // namespace lufact::gpu
