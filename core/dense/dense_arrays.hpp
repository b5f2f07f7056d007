// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one large matrix on one side.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/array/problem_arrays.hpp"
#include "core/verify/validate_dense.hpp"

namespace lufact {

class DenseArrays : public ProblemArrays {
 public:
  virtual DenseCheck check(const DenseCheckRequest& request) = 0;
  // Column j of the result in double: of LU (m entries), or of the solution (n entries).
  virtual std::vector<double> result_column(Index j) const = 0;
  // min(m, n); empty without pivoting.
  virtual std::vector<std::int32_t> pivots() const = 0;
  virtual std::int32_t info() const = 0;
};

}  // namespace lufact
