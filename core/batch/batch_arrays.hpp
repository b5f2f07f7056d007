// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one group of a batch on one side: lufact makes the input where it is needed,
// restores it before every repetition and judges what any stage or library made of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/batch/batch_input.hpp"
#include "core/verify/batch_check.hpp"

namespace lufact {

// The result of a matrix in double, by columns without padding: for files and tests.
struct BatchResult {
  std::vector<double> values;  // LU or inverse, n x n; solve: n x rhs
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

class BatchArrays {
 public:
  virtual ~BatchArrays() = default;
  virtual const ArrayProblem& problem() const noexcept = 0;
  // A, and b for solve, as they were made; results, pivots and info are overwritten with values
  // that no stage leaves. Not timed.
  virtual void restore() = 0;
  virtual ArrayOperands operands() noexcept = 0;
  // Every matrix by the validator of this side, a seeded sample and every matrix with info > 0 by
  // the one on the host too.
  virtual BatchCheck check(const BatchCheckRequest& request) = 0;
  virtual BatchResult result(Offset matrix) const = 0;
  // Of the results of a seeded sample of 65,536 matrices, or all.
  virtual std::string values_sha256() const = 0;
  virtual std::string pivots_sha256() const = 0;
  // Restores without a copy of the input, where there is no room for one: made again. Bytes held.
  virtual std::uint64_t bytes() const noexcept = 0;
};

}  // namespace lufact
