// SPDX-License-Identifier: BSD-3-Clause
// The elimination of core/verify/pivot_replay.hpp by a warp: it takes the pivots under judgement
// and carries with every entry by how much it can differ between correct eliminations. Compiled
// without fused multiplication, which would hide what rounds.
#pragma once
#include <cstdint>

#include "gpu/batch/scaled_matrix.cuh"

namespace lufact::gpu {

enum class ReplayedPivots { equal = 1, tied = 2, different = 3 };

template <class Real>
struct RealLimits;
template <>
struct RealLimits<float> {
  static constexpr double epsilon = 0x1p-23, least_normal = 0x1p-126, least = 0x1p-149;
};
template <>
struct RealLimits<double> {
  static constexpr double epsilon = 0x1p-52, least_normal = 0x1p-1022, least = 0x1p-1074;
};

__device__ inline float fused(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ inline double fused(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

// The second where it is larger; NaN in the first stays.
__device__ inline double first_or_larger(double a, double b) {
  return a < b ? b : a;
}

template <class Real>
struct DoubtfulEntry {
  Real value;
  double doubt;
};

constexpr double doubt_margin = 16;  // doubts beyond which a difference is not rounding

template <class Real>
__device__ double after_rounding(double inherited, double size) {
  constexpr double growth = 1.25;
  return growth * first_or_larger(first_or_larger(inherited, RealLimits<Real>::epsilon * size),
                                  RealLimits<Real>::least);
}

// 0 * Inf counts as 0.
__device__ inline double scaled_doubt(double factor, double doubt) {
  return factor == 0 ? 0.0 : factor * doubt;
}

template <class Real>
__device__ bool power_of_two(Real value) {
  int exponent = 0;
  return fabs(frexp(static_cast<double>(value), &exponent)) == 0.5;
}

template <class Real>
__device__ bool may_vanish(const DoubtfulEntry<Real>& entry) {
  return entry.doubt > 0 && fabs(static_cast<double>(entry.value)) <= doubt_margin * entry.doubt;
}

// Whether a division and a product with the rounded reciprocal give the same in every rounding.
template <class Real>
__device__ bool exact_ratio(Real value, Real pivot, Real ratio) {
  const double size = fabs(static_cast<double>(pivot));
  if (value == 0 || fabs(static_cast<double>(value)) == size) return true;
  return power_of_two(pivot) && ratio * pivot == value;
}

// value / pivot; of a pivot that may be zero elsewhere, anything up to 1 in size.
template <class Real>
__device__ DoubtfulEntry<Real> quotient(const DoubtfulEntry<Real>& value,
                                        const DoubtfulEntry<Real>& pivot) {
  const double size = fabs(static_cast<double>(pivot.value));
  Real ratio = value.value;
  if (size >= RealLimits<Real>::least_normal) {
    ratio = value.value * (Real{1} / pivot.value);
  } else if (size != 0) {
    ratio = value.value / pivot.value;
  }
  if (may_vanish(pivot)) {
    const Real bounded = ratio < -1 ? Real{-1} : ratio > 1 ? Real{1} : ratio;
    return {bounded, value.value == 0 && value.doubt == 0 ? 0.0 : 1.0};
  }
  if (!(size > 0)) return {ratio, value.doubt};
  const double ratio_size = fabs(static_cast<double>(ratio));
  const double inherited =
      first_or_larger(value.doubt / size, scaled_doubt(ratio_size, pivot.doubt / size));
  if (inherited == 0 && exact_ratio(value.value, pivot.value, ratio)) return {ratio, 0.0};
  return {ratio, after_rounding<Real>(inherited, 2 * ratio_size)};
}

// What is known of a multiplier and an entry of U that are multiplied.
struct KnownOfProduct {
  bool exact;     // they are the same in every correct elimination, also in one that divides the
                  // other of the two
  bool computed;  // something was subtracted from the entry of U
  double terms;   // the size of what may have cancelled in it
};

// Whether rows cancelled in `other`, and a rounded multiplier takes them one by one in some
// eliminations.
template <class Real>
__device__ bool may_be_folded(const DoubtfulEntry<Real>& factor, const DoubtfulEntry<Real>& other,
                              const KnownOfProduct& known) {
  return other.value == 0 && known.computed && factor.value != 0 && factor.doubt > 0;
}

// value - factor * other, a multiplier and an entry of U.
template <class Real>
__device__ DoubtfulEntry<Real> without_product(const DoubtfulEntry<Real>& value,
                                               const DoubtfulEntry<Real>& factor,
                                               const DoubtfulEntry<Real>& other,
                                               const KnownOfProduct& known) {
  const Real product = factor.value * other.value;
  const Real difference = value.value - product;
  const double from_other = scaled_doubt(fabs(static_cast<double>(factor.value)), other.doubt);
  const double from_factor = scaled_doubt(fabs(static_cast<double>(other.value)), factor.doubt);
  const double inherited = first_or_larger(first_or_larger(value.doubt, from_other), from_factor);
  if (may_be_folded(factor, other, known)) {
    const double size = fabs(static_cast<double>(factor.value)) * known.terms;
    return {difference, after_rounding<Real>(inherited, size)};
  }
  if (factor.value == 0 || other.value == 0) return {difference, inherited};
  if (inherited == 0 && known.exact) {
    const Real part = difference - value.value;
    const Real lost = (value.value - (difference - part)) + (-product - part);
    if (fused(factor.value, other.value, -product) == 0 && lost == 0) return {difference, 0.0};
  }
  double size = fabs(static_cast<double>(value.value));
  size = first_or_larger(size, fabs(static_cast<double>(product)));
  size = first_or_larger(size, fabs(static_cast<double>(difference)));
  return {difference, after_rounding<Real>(inherited, size)};
}

// A bit for each entry from which something was subtracted: rows lane and lane + 32 of each lane.
class ComputedEntries {
 public:
  __device__ void add(int part, Index column) { rows_[part] |= std::uint64_t{1} << column; }
  // By all lanes.
  __device__ std::uint64_t of_row(Index row) const {
    return __shfl_sync(all_lanes, rows_[row / warp_lanes], row % warp_lanes);
  }
  __device__ void exchange(Index a, Index b, int lane) {
    const std::uint64_t of_a = of_row(a), of_b = of_row(b);
    if (lane == a % warp_lanes) rows_[a / warp_lanes] = of_b;
    if (lane == b % warp_lanes) rows_[b / warp_lanes] = of_a;
  }

 private:
  std::uint64_t rows_[2] = {0, 0};
};

template <class Real>
class PivotReplayOfWarp {
 public:
  // `values`: the matrix, of order 64 at most; `doubts`: zeros. Both are overwritten.
  // `divides_rows`: a correct elimination may divide the pivot's row instead of its column.
  __device__ PivotReplayOfWarp(const SharedMatrix& values, const SharedMatrix& doubts,
                               bool divides_rows, int lane)
      : values_(values), doubts_(doubts), n_(values.n), divides_rows_(divides_rows), lane_(lane) {}

  // `pivots` of the matrix, or null: its own.
  __device__ void follow(const std::int32_t* pivots, std::int32_t info) {
    info_allowed_ = info >= 0 && info <= n_;
    for (Index k = 0; k < n_; ++k) {
      const Index own = largest(k);
      Index row = pivots == nullptr ? own : pivots[k] - 1;
      if (row < k || row >= n_) {
        found_ = ReplayedPivots::different;
        row = own;
      }
      judge(k, row, own);
      exchange(k, row);
      if (pivots == nullptr) doubt_choice(k);
      if (!lost_) judge_info(k, info);
      // Which row a pivot of rounding errors would be in is anybody's guess.
      lost_ = lost_ || (pivots == nullptr && may_vanish(entry(k, k)));
      eliminate(k);
    }
  }

  __device__ ReplayedPivots found() const { return found_; }
  // Whether `info` can be that of a correct elimination.
  __device__ bool info_allowed() const { return info_allowed_; }

 private:
  __device__ DoubtfulEntry<Real> entry(Index i, Index j) const {
    return {static_cast<Real>(values_(i, j)), doubts_(i, j)};
  }
  __device__ void set(Index i, Index j, const DoubtfulEntry<Real>& entry) const {
    values_(i, j) = entry.value;
    doubts_(i, j) = entry.doubt;
  }

  // The first of the largest among rows k to n - 1. As for IDAMAX no comparison with NaN holds: in
  // row k it stays the pivot, further down it never is.
  __device__ Index largest(Index k) const {
    double best = -1;
    Index row = n_;
    for (Index i = k + lane_; i < n_; i += warp_lanes) {
      double size = fabs(values_(i, k));
      if (isnan(size)) size = i == k ? static_cast<double>(INFINITY) : -1.0;
      if (size > best) {
        best = size;
        row = i;
      }
    }
    for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
      const double other = __shfl_xor_sync(all_lanes, best, distance);
      const Index other_row = __shfl_xor_sync(all_lanes, row, distance);
      if (other > best || (other == best && other_row < row)) {
        best = other;
        row = other_row;
      }
    }
    return row;
  }

  __device__ void judge(Index k, Index row, Index own) {
    if (row == own) return;
    const double doubt = first_or_larger(doubts_(row, k), doubts_(own, k));
    const bool close = fabs(values_(own, k)) - fabs(values_(row, k)) <= doubt_margin * doubt;
    const auto found = doubt > 0 && close ? ReplayedPivots::tied : ReplayedPivots::different;
    if (found > found_) found_ = found;
  }

  // Another correct elimination may have taken another of nearly equal candidates.
  __device__ void doubt_choice(Index k) const {
    const DoubtfulEntry<Real> pivot = entry(k, k);
    const double size = fabs(static_cast<double>(pivot.value));
    double doubt = pivot.doubt;
    for (Index i = k + 1 + lane_; i < n_; i += warp_lanes) {
      const double either = first_or_larger(pivot.doubt, doubts_(i, k));
      if (either > 0 && size - fabs(values_(i, k)) <= doubt_margin * either) {
        doubt = first_or_larger(doubt, either);
        doubt = first_or_larger(doubt, RealLimits<Real>::epsilon * size);
      }
    }
    doubt = largest_of_lanes(doubt);
    __syncwarp();
    if (lane_ == 0) doubts_(k, k) = doubt;
    __syncwarp();
  }

  __device__ void judge_info(Index k, std::int32_t info) {
    const double size = fabs(values_(k, k)), doubt = doubts_(k, k);
    const bool surely_zero = size == 0 && doubt == 0;
    if ((info == 0 || k < info - 1) && surely_zero) info_allowed_ = false;
    if (k == info - 1 && !(size <= doubt_margin * doubt || size == 0)) info_allowed_ = false;
  }

  __device__ void exchange(Index k, Index row) {
    computed_.exchange(k, row, lane_);
    __syncwarp();
    for (Index j = lane_; row != k && j < n_; j += warp_lanes) {
      swap(values_(k, j), values_(row, j));
      swap(doubts_(k, j), doubts_(row, j));
    }
    __syncwarp();
  }
  __device__ static void swap(double& a, double& b) {
    const double old = a;
    a = b;
    b = old;
  }

  // Bit j: entry (k, j) is the same in every correct elimination when it becomes a factor.
  __device__ std::uint64_t exact_factors(Index k, const DoubtfulEntry<Real>& pivot) const {
    if (!divides_rows_) return ~std::uint64_t{0};
    std::uint64_t bits = 0;
    for (int part = 0; part < 2; ++part) {
      const Index j = lane_ + part * warp_lanes;
      const bool exact = j > k && j < n_ && quotient(entry(k, j), pivot).doubt == 0;
      bits |= std::uint64_t{__ballot_sync(all_lanes, exact)} << (part * warp_lanes);
    }
    return bits;
  }

  // A lane writes only its own rows below k; row k is read.
  __device__ void eliminate(Index k) {
    const DoubtfulEntry<Real> pivot = entry(k, k);
    const double terms = fabs(static_cast<double>(pivot.value));
    const std::uint64_t exact = exact_factors(k, pivot);
    const std::uint64_t computed = computed_.of_row(k);
    for (int part = 0; part < 2; ++part) {
      const Index i = lane_ + part * warp_lanes;
      if (i <= k || i >= n_) continue;
      const DoubtfulEntry<Real> factor = quotient(entry(i, k), pivot);
      set(i, k, factor);
      for (Index j = k + 1; j < n_; ++j) {
        const KnownOfProduct known{(exact >> j & 1) != 0, (computed >> j & 1) != 0, terms};
        const DoubtfulEntry<Real> other = entry(k, j);
        set(i, j, without_product(entry(i, j), factor, other, known));
        if (factor.value != 0 && (other.value != 0 || known.computed)) computed_.add(part, j);
      }
    }
    __syncwarp();
  }

  SharedMatrix values_, doubts_;
  ComputedEntries computed_;
  Index n_;
  bool divides_rows_;
  int lane_;
  ReplayedPivots found_ = ReplayedPivots::equal;
  bool info_allowed_ = true;
  bool lost_ = false;  // where the pivots' rows are is not known any more
};

}  // namespace lufact::gpu
