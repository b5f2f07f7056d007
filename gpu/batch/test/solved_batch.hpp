// SPDX-License-Identifier: BSD-3-Clause
// Batches whose results are known, for tests of what judges them.
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "core/reference/dense_lu.hpp"
#include "core/verify/validate_batch.hpp"
#include "gpu/batch/test/batch_on_device.hpp"

namespace lufact::gpu {

// A batch with the results of the sequential twin, contiguous, on the host.
template <class Real>
struct Solved {
  Solved(ArrayOperation operation, BatchKind kind, Index order, Offset matrices)
      : n(order),
        count(matrices),
        group(batch_group(kind, order, matrices)),
        problem(batch_problem(operation, order, matrices,
                              sizeof(Real) == 4 ? Precision::float32 : Precision::float64)),
        columns(operation == ArrayOperation::solve ? problem.rhs : order),
        values(at(matrices * order * columns)),
        pivots(at(matrices * order)),
        info(at(matrices)) {
    for (Offset k = 0; k < count; ++k) solve(k);
  }

  void solve(Offset k) {
    std::vector<Real> a(at(n * n));
    for (Index e = 0; e < n * n; ++e) {
      a[at(e)] = static_cast<Real>(batch_entry(*group.kind, group.seed, n, k, e % n, e / n));
    }
    std::int32_t* const rows = pivots.data() + k * n;
    Real* const target = values.data() + k * n * columns;
    info[at(k)] = reference::dense_lu(n, n, a.data(), n, rows);
    if (problem.operation == ArrayOperation::lu) {
      std::copy(a.begin(), a.end(), target);
      return;
    }
    if (problem.operation == ArrayOperation::inverse) {
      reference::dense_inverse(n, a.data(), n, rows, target, n);
    } else {
      for (Index e = 0; e < n * columns; ++e) {
        target[e] = static_cast<Real>(batch_rhs_entry(group.seed, n, k, e % n, e / n));
      }
      reference::dense_solve(n, a.data(), n, rows, columns, target, n);
    }
    if (info[at(k)] > 0) std::fill_n(target, n * columns, std::numeric_limits<Real>::quiet_NaN());
  }

  // What the host's validator finds of matrix k, and of all.
  MatrixVerdict verdict_on_host(Offset k) const {
    std::vector<double> a, b;
    for (Index e = 0; e < n * n; ++e) {
      const double value = batch_entry(*group.kind, group.seed, n, k, e % n, e / n);
      a.push_back(double{static_cast<Real>(value)});
    }
    for (Index e = 0; e < n * problem.rhs; ++e) {
      const double value = batch_rhs_entry(group.seed, n, k, e % n, e / n);
      b.push_back(double{static_cast<Real>(value)});
    }
    const Real* const from = values.data() + k * n * columns;
    const std::vector<double> result(from, from + n * columns);
    return validate_matrix({.operation = problem.operation,
                            .precision = problem.precision,
                            .n = n,
                            .rhs = problem.rhs,
                            .a = a,
                            .b = b,
                            .result = result,
                            .pivots = std::span(pivots).subspan(at(k * n), at(n)),
                            .info = info[at(k)]},
                           true, true);
  }
  BatchCheck check_on_host() const {
    BatchCheck check;
    for (Offset k = 0; k < count; ++k) add_verdict(check, k, info[at(k)], verdict_on_host(k));
    return check;
  }

  Real& value(Offset k, Index i, Index j) { return values[at((k * columns + j) * n + i)]; }

  Index n;
  Offset count;
  BatchGroup group;
  ArrayProblem problem;
  Index columns;
  std::vector<Real> values;
  std::vector<std::int32_t> pivots, info;
};

}  // namespace lufact::gpu
