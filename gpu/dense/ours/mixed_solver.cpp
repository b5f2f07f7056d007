// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/mixed_solver.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/dense/ours/not_a_number.hpp"
#include "gpu/dense/ours/vector_kernels.hpp"
#include "gpu/dense/part.hpp"

namespace lufact::gpu::blocked {
namespace {

constexpr Index aligned_rows = 32;  // columns begin on a boundary of 128 bytes

ArrayProblem float_problem(const ArrayProblem& problem) {
  ArrayProblem made = problem;
  made.operation = ArrayOperation::lu;
  made.rhs = 0;
  made.precision = Precision::float32;
  const Offset ld = (Offset{problem.rows} + aligned_rows - 1) / aligned_rows * aligned_rows;
  made.ld = checked_index(ld, "the rows of factors");
  return made;
}

// A power of two that makes the largest magnitude 1/2 to 1, so that neither end of float's range is
// near; 1 where there is none.
double scale_for(double largest) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

}  // namespace

MixedSolver::MixedSolver(DeviceSession& session, const ArrayProblem& problem,
                         const HybridSettings& settings)
    : session_(session),
      problem_(problem),
      in_float_(float_problem(problem)),
      rounded_(session, MemoryRole::scratch, Offset{in_float_.ld} * problem.columns,
               "factors in float"),
      rows_(session, MemoryRole::scratch, Offset{2} * problem.rows, "sizes of rows"),
      sizes_(session, MemoryRole::scratch, 2, "sizes of the matrix"),
      lu_(session, in_float_, settings),
      columns_(session, problem.rows, problem.rhs) {
  rounded_.fill_bytes(0);  // rows beyond the matrix are read, nothing is made of them
}

MixedSolver::MatrixSizes MixedSolver::measure(const double* a) {
  const cudaStream_t stream = session_.stream();
  const Index n = problem_.rows;
  measure_rows(stream, a, problem_.ld, n, rows_.data(), rows_.data() + n);
  largest_magnitudes(stream, rows_.data(), n, 2, sizes_.data());
  MatrixSizes sizes{};
  session_.read_control(&sizes, sizes_.data(), sizeof(sizes));
  return sizes;
}

MixedSolver::MatrixSizes MixedSolver::round(const ArrayOperands& operands) {
  const auto* const a = static_cast<const double*>(operands.a);
  const MatrixSizes sizes = measure(a);
  round_matrix(session_.stream(), a, problem_.ld, scale_for(sizes.largest), rounded_.data(),
               in_float_.ld, problem_.rows);
  return sizes;
}

ArrayOperands MixedSolver::in_float(const ArrayOperands& operands) {
  return {.a = rounded_.data(),
          .result = rounded_.data(),
          .pivots = operands.pivots,
          .info = operands.info};
}

void MixedSolver::refine_solutions(const ArrayOperands& operands, const MatrixSizes& sizes) {
  auto* const b = static_cast<double*>(operands.b);
  if (read_value(session_, operands.info) != 0) {
    spoil_if_singular(session_.stream(), b, Offset{problem_.rows} * problem_.rhs, operands.info);
    return;
  }
  const auto* const a = static_cast<const double*>(operands.a);
  columns_.begin({problem_.rows, problem_.rhs, a, problem_.ld, b}, lu_.factors(),
                 scale_for(sizes.largest), sizes.norm);
  refinement_ = refine(columns_);
  columns_.write_solutions();
}

void MixedSolver::run(const ArrayOperands& operands) {
  refinement_.reset();
  const MatrixSizes sizes = round(operands);
  lu_.run(in_float(operands));
  refine_solutions(operands, sizes);
}

void MixedSolver::profile(const ArrayOperands& operands, PhaseRecorder& phases) {
  refinement_.reset();
  MatrixSizes sizes{};
  {
    const auto phase = phases.scope("numeric");
    {
      const Part part(&phases, "rounding");
      sizes = round(operands);
    }
    lu_.profile(in_float(operands), phases);
  }
  const auto phase = phases.scope("refinement");
  refine_solutions(operands, sizes);
}

}  // namespace lufact::gpu::blocked
