// SPDX-License-Identifier: BSD-3-Clause
// Checks on the host of what was made of one large dense matrix, in double. They share no code
// with the stages.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/types.hpp"
#include "core/pipeline/batch_record.hpp"

namespace lufact {

// A matrix in memory by columns.
template <class Real>
struct DenseView {
  const Real* entries = nullptr;
  Index rows = 0, columns = 0, ld = 0;

  double operator()(Index i, Index j) const noexcept {
    return static_cast<double>(entries[Offset{j} * ld + i]);
  }
};

// Up to this order the whole product is formed and pivots are compared with the twin's; above, 16
// vectors stand for the product and multipliers for the pivots.
inline constexpr Index largest_whole_product = 2048;
inline constexpr int probe_vectors = 16;

struct DenseCheckRequest {
  bool own_result = true;  // of a peer only info is judged where a matrix is singular
  bool has_pivots = true;  // the result has pivots to judge
  Index largest_whole = largest_whole_product;
  std::uint64_t seed = 1;  // of the vectors of a probe
  int threads = 1;
};

struct DenseCheck {
  // lu, method "||PA - LU|| / (n ||A||)": in 1-norms. Method "factors-probe": the largest
  // ||(PA - LU) x|| / (n ||A||) in infinity norms for 16 vectors x of +-1, a lower bound of what
  // the whole product would give. solve: the worst column's ||b - Ax|| / (||A|| ||x|| + ||b||) in
  // infinity norms (Rigal and Gaches 1967). 0 / 0 counts as 0; infinite where the result is not
  // finite. Norms near the smallest normal number count as n times that.
  std::string method;
  double error = 0;
  bool judged_error = true;    // false: nothing to hold where a pivot is zero, or nonfinite
  bool nonfinite = false;      // A or b has NaN or Inf: nothing else is judged
  bool wrong_info = false;     // lu: not the first zero of U's diagonal; solve: out of range
  bool wrong_not_nan = false;  // info > 0, but the solution is not all NaN
  // Of pivots, one each. Equal: the row that the sequential twin takes after the same exchanges.
  // Tied: another whose candidate is as large but for rounding, of which there is none before the
  // first step. Different: a smaller one, no row at all, or multipliers above 1, of which one
  // counts as one. Empty: none to judge.
  std::optional<PivotCheck> pivots;
  std::optional<double> growth;  // lu: max |U| / max |A|
};

// `lu` (m x n) is what a stage left of `a`. `pivots` has min(m, n) numbers from 1, or none where
// rows were not exchanged. Without exchanges, nothing but info is judged of factors with a zero
// pivot.
template <class Real>
DenseCheck validate_dense_lu(const DenseView<Real>& a, const DenseView<Real>& lu,
                             std::span<const std::int32_t> pivots, std::int32_t info,
                             const DenseCheckRequest& request);

template <class Real>
DenseCheck validate_dense_solution(const DenseView<Real>& a, const DenseView<Real>& b,
                                   const DenseView<Real>& x, std::int32_t info,
                                   const DenseCheckRequest& request);

}  // namespace lufact
