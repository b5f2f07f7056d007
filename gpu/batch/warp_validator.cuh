// SPDX-License-Identifier: BSD-3-Clause
// How a warp judges a matrix of a batch. Compiled without fused multiplication, but for what asks
// for it.
#pragma once
#include <cstdint>

#include "gpu/batch/batch_places.cuh"
#include "gpu/batch/batch_results.hpp"
#include "gpu/batch/batch_source.cuh"
#include "gpu/batch/pivot_replay.cuh"
#include "gpu/batch/scaled_matrix.cuh"

namespace lufact::gpu {

// A verdict as the device writes it.
struct PackedVerdict {
  double error;
  std::int32_t info;
  std::uint8_t nonfinite, wrong_info, wrong_not_nan, result_nonfinite;
  std::uint8_t pivots;  // 0: none, or ReplayedPivots
};

__device__ inline double quotient_or_infinite(double numerator, double denominator) {
  if (!isfinite(numerator) || !isfinite(denominator)) return INFINITY;
  return numerator == 0 ? 0.0 : numerator / denominator;
}

// One matrix, judged by one warp with two matrices of shared memory.
template <class Real>
class WarpValidator {
 public:
  __device__ WarpValidator(const BatchResults& results, double* shared, Offset k, int lane)
      : results_(results),
        n_(results.source.n),
        k_(k),
        lane_(lane),
        a_{shared, n_},
        other_{shared + SharedMatrix::size(n_), n_},
        pivots_(results.pivots == nullptr ? nullptr : results.pivots + k * n_) {}

  __device__ PackedVerdict judge(bool own_result) {
    PackedVerdict verdict{};
    verdict.info = results_.info[k_];
    load_matrix();
    if (!input_is_finite()) {
      verdict.nonfinite = 1;
      return verdict;
    }
    const bool rows_in_range = pivots_in_range();
    judge_result(own_result, rows_in_range, verdict);
    judge_pivots(rows_in_range, verdict);
    return verdict;
  }

 private:
  __device__ bool is_lu() const { return results_.operation == ArrayOperation::lu; }
  __device__ double result(Index i, Index j) const {
    return static_cast<double>(place_of<Real>(results_.values, k_, i, j));
  }
  // Whether a condition holds in no lane.
  __device__ static bool nowhere(bool condition) { return __any_sync(all_lanes, condition) == 0; }

  __device__ void load_matrix() const {
    __syncwarp();
    for (Index e = lane_; e < n_ * n_; e += warp_lanes) {
      a_(e % n_, e / n_) = source_entry<Real>(results_.source, k_, e % n_, e / n_);
    }
    __syncwarp();
  }

  // Returns the largest entry in size.
  template <class Entry>
  __device__ double largest(Index columns, const Entry& entry) const {
    double size = 0;
    for (Index e = lane_; e < n_ * columns; e += warp_lanes) {
      size = fmax(size, fabs(entry(e % n_, e / n_)));
    }
    return largest_of_lanes(size);
  }

  __device__ bool input_is_finite() const {
    bool fault = false;
    for (Index e = lane_; e < n_ * n_; e += warp_lanes) fault |= !isfinite(a_(e % n_, e / n_));
    const bool has_rhs = results_.operation == ArrayOperation::solve;
    const Index rhs = has_rhs ? results_.values.columns : 0;
    for (Index e = lane_; e < n_ * rhs; e += warp_lanes) {
      fault |= !isfinite(source_rhs<Real>(results_.source, k_, e % n_, e / n_));
    }
    return nowhere(fault);
  }

  __device__ bool pivots_in_range() const {
    bool fault = false;
    for (Index i = lane_; pivots_ != nullptr && i < n_; i += warp_lanes) {
      fault |= pivots_[i] <= i || pivots_[i] > n_;
    }
    return nowhere(fault);
  }

  // Sets apart the results that are not all numbers, or not all NaN.
  __device__ void look_at_result(bool& finite, bool& all_nan) const {
    bool infinite = false, number = false;
    for (Index e = lane_; e < n_ * results_.values.columns; e += warp_lanes) {
      const double value = result(e % n_, e / n_);
      infinite |= !isfinite(value);
      number |= !isnan(value);
    }
    finite = nowhere(infinite);
    all_nan = nowhere(number);
  }

  __device__ void judge_result(bool own_result, bool rows_in_range, PackedVerdict& verdict) {
    bool finite = false, all_nan = false;
    look_at_result(finite, all_nan);
    if (!is_lu() && verdict.info > 0) {
      verdict.wrong_not_nan = own_result && !all_nan ? 1 : 0;
      return;
    }
    verdict.result_nonfinite = rows_in_range && !finite ? 1 : 0;
    verdict.error = rows_in_range && finite ? residual() : static_cast<double>(INFINITY);
    if (is_lu()) verdict.wrong_info = verdict.info != first_zero_of_u() ? 1 : 0;
  }

  __device__ std::int32_t first_zero_of_u() const {
    Index first = n_;
    for (Index k = lane_; k < n_; k += warp_lanes) {
      if (result(k, k) == 0) first = min(first, k);
    }
    first = joined(first, [](Index a, Index b) { return min(a, b); });
    return first == n_ ? 0 : first + 1;
  }

  __device__ double residual() {
    const PowerOfTwo scale(largest(n_, a_));
    for (Index e = lane_; e < n_ * n_; e += warp_lanes) {
      a_(e % n_, e / n_) = scale(a_(e % n_, e / n_));
    }
    __syncwarp();
    if (is_lu()) return lu_error(scale);
    return results_.operation == ArrayOperation::inverse ? inverse_error(scale)
                                                         : solution_error(scale);
  }

  // Norms where gradual underflow keeps no more bits are as good as n of the least normal number.
  __device__ double at_least_normal(double norm, const PowerOfTwo& scale) const {
    return fmax(norm, scale(n_ * RealLimits<Real>::least_normal));
  }

  // Of PA - LU, where A and U are scaled and L is not.
  __device__ double lu_error(const PowerOfTwo& scale) {
    for (Index e = lane_; e < n_ * n_; e += warp_lanes) {
      const Index i = e % n_, j = e / n_;
      other_(i, j) = i <= j ? scale(result(i, j)) : result(i, j);
    }
    const Rows rows = permuted_rows();
    __syncwarp();
    double worst = 0;
    for (Index j = 0; j < n_; ++j) {
      double sum = 0;
      for (int part = 0; part < 2; ++part) {
        const Index i = lane_ + part * warp_lanes;
        if (i < n_) sum += fabs(lu_residual(i, j, rows.of[part]));
      }
      worst = larger_or_infinite(worst, sum_of_lanes(sum));
    }
    const double norm = at_least_normal(column_sum_norm(a_, lane_), scale);
    return quotient_or_infinite(worst, n_ * norm);
  }

  __device__ double lu_residual(Index i, Index j, Index row) const {
    double value = a_(row, j);
    for (Index k = 0; k <= j && k < i; ++k) value = __fma_rn(-other_(i, k), other_(k, j), value);
    return i <= j ? value - other_(i, j) : value;
  }

  // Row i of PA is row `of` of A, for the two rows i of a lane.
  struct Rows {
    Index of[2];
  };
  __device__ Rows permuted_rows() const {
    Rows rows{{lane_, lane_ + warp_lanes}};
    for (Index k = 0; pivots_ != nullptr && k < n_; ++k) {
      const Index other = pivots_[k] - 1;
      const Index of_k = row_at(rows, k), of_other = row_at(rows, other);
      for (int part = 0; part < 2; ++part) {
        const Index i = lane_ + part * warp_lanes;
        if (i == k) rows.of[part] = of_other;
        if (i == other) rows.of[part] = of_k;
      }
    }
    return rows;
  }
  __device__ static Index row_at(const Rows& rows, Index i) {
    const Index low = __shfl_sync(all_lanes, rows.of[0], i % warp_lanes);
    const Index high = __shfl_sync(all_lanes, rows.of[1], i % warp_lanes);
    return i < warp_lanes ? low : high;
  }

  // Column c of the result, scaled, into the first column of the second matrix.
  __device__ void load_column(Index c, const PowerOfTwo& scale) const {
    __syncwarp();
    for (Index i = lane_; i < n_; i += warp_lanes) other_(i, 0) = scale(result(i, c));
    __syncwarp();
  }
  // Row i of `start` - A x.
  __device__ double without_row_times_column(Index i, double start) const {
    double value = start;
    for (Index k = 0; k < n_; ++k) value = __fma_rn(-a_(i, k), other_(k, 0), value);
    return value;
  }

  __device__ double inverse_error(const PowerOfTwo& scale) {
    const PowerOfTwo x_scale(largest(n_, [this](Index i, Index j) { return result(i, j); }));
    const double one = ldexp(1.0, -scale.exponent() - x_scale.exponent());
    double worst = 0, x_norm = 0;
    for (Index c = 0; c < n_; ++c) {
      load_column(c, x_scale);
      double sum = 0, x_sum = 0;
      for (Index i = lane_; i < n_; i += warp_lanes) {
        sum += fabs(without_row_times_column(i, i == c ? one : 0.0));
        x_sum += fabs(other_(i, 0));
      }
      worst = larger_or_infinite(worst, sum_of_lanes(sum));
      x_norm = larger_or_infinite(x_norm, sum_of_lanes(x_sum));
    }
    const double a_norm = at_least_normal(column_sum_norm(a_, lane_), scale);
    return quotient_or_infinite(worst, n_ * a_norm * at_least_normal(x_norm, x_scale));
  }

  __device__ double solution_error(const PowerOfTwo& scale) {
    const double a_norm = at_least_normal(row_sum_norm(a_, lane_), scale);
    double worst = 0;
    for (Index c = 0; c < results_.values.columns; ++c) {
      worst = larger_or_infinite(worst, column_error(c, scale, a_norm));
    }
    return worst;
  }

  __device__ double column_error(Index c, const PowerOfTwo& scale, double a_norm) {
    const PowerOfTwo x_scale(largest(1, [this, c](Index i, Index) { return result(i, c); }));
    load_column(c, x_scale);
    double residual = 0, b_norm = 0, x_norm = 0;
    for (Index i = lane_; i < n_; i += warp_lanes) {
      const double b = ldexp(static_cast<double>(source_rhs<Real>(results_.source, k_, i, c)),
                             -scale.exponent() - x_scale.exponent());
      residual = larger_or_infinite(residual, fabs(without_row_times_column(i, b)));
      b_norm = larger_or_infinite(b_norm, fabs(b));
      x_norm = larger_or_infinite(x_norm, fabs(other_(i, 0)));
    }
    const double size = at_least_normal(largest_of_lanes(x_norm), x_scale);
    return quotient_or_infinite(largest_of_lanes(residual),
                                a_norm * size + largest_of_lanes(b_norm));
  }

  __device__ bool has_large_multiplier() const {
    bool large = false;
    for (Index e = lane_; e < n_ * n_; e += warp_lanes) {
      large |= e % n_ > e / n_ && fabs(result(e % n_, e / n_)) > 1;
    }
    return !nowhere(large);
  }

  __device__ void judge_pivots(bool rows_in_range, PackedVerdict& verdict) {
    if (is_lu() && pivots_ == nullptr) return;
    load_matrix();
    for (Index e = lane_; e < n_ * n_; e += warp_lanes) other_(e % n_, e / n_) = 0;
    __syncwarp();
    const bool divides_rows = results_.operation == ArrayOperation::inverse;
    PivotReplayOfWarp<Real> replay(a_, other_, divides_rows, lane_);
    replay.follow(pivots_, verdict.info);
    if (!is_lu()) verdict.wrong_info = replay.info_allowed() ? 0 : 1;
    if (pivots_ == nullptr) return;
    const bool wrong = !rows_in_range || (is_lu() && has_large_multiplier());
    verdict.pivots = static_cast<std::uint8_t>(wrong ? ReplayedPivots::different : replay.found());
  }

  const BatchResults& results_;
  Index n_;
  Offset k_;
  int lane_;
  SharedMatrix a_, other_;
  const std::int32_t* pivots_;
};

}  // namespace lufact::gpu
