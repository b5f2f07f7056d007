// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>

#include "core/array/array_problem.hpp"
#include "core/pipeline/dense_record.hpp"
#include "gpu/dense/ours/device_refined_columns.hpp"
#include "gpu/dense/ours/hybrid_lu.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {

// Solves in double with factors in float (HybridLu), refined as refine() says. Where the problem
// has lower numbers, the products of the factorization are taken in them; factors are floats all
// the same.
class MixedSolver {
 public:
  // Of solves in double. Takes memory for the factors and four times that of the right-hand sides.
  MixedSolver(DeviceSession& session, const ArrayProblem& problem, const HybridSettings& settings);

  // b := A^-1 b, with pivots and info of the factors; all NaN where a pivot is zero. A is read
  // alone. Waits for every step of the refinement. The bits of the result depend on the input
  // alone.
  void run(const ArrayOperands& operands);
  // The same with phases `numeric`, in which the factorization has its parts on one stream, and
  // `refinement`.
  void profile(const ArrayOperands& operands, PhaseRecorder& phases);
  // Of the last run; empty where a pivot was zero.
  const std::optional<RefinementRecord>& refinement() const noexcept { return refinement_; }
  const HybridLu<float>& factors() const noexcept { return lu_; }

 private:
  struct MatrixSizes {
    double norm, largest;
  };
  MatrixSizes measure(const double* a);
  // Of A, which is rounded to float by the way.
  MatrixSizes round(const ArrayOperands& operands);
  ArrayOperands in_float(const ArrayOperands& operands);
  void refine_solutions(const ArrayOperands& operands, const MatrixSizes& sizes);

  DeviceSession& session_;
  const ArrayProblem problem_, in_float_;
  Buffer<float> rounded_;
  Buffer<double> rows_, sizes_;
  HybridLu<float> lu_;
  DeviceRefinedColumns columns_;
  std::optional<RefinementRecord> refinement_;
};

}  // namespace lufact::gpu::blocked
