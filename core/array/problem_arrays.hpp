// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>

#include "core/array/array_problem.hpp"

namespace lufact {

// The arrays of a problem on one side: lufact makes the input where it is needed and restores it
// before every repetition; any stage or library works on the operands.
class ProblemArrays {
 public:
  virtual ~ProblemArrays() = default;
  virtual const ArrayProblem& problem() const noexcept = 0;
  // A, and b for solve, as they were made; results, pivots and info are overwritten with values
  // that no stage leaves. Not timed.
  virtual void restore() = 0;
  virtual ArrayOperands operands() noexcept = 0;
  // Of the results, and of their pivots; every NaN counts as the same one.
  virtual std::string values_sha256() const = 0;
  virtual std::string pivots_sha256() const = 0;
  virtual std::uint64_t bytes() const noexcept = 0;
};

}  // namespace lufact
