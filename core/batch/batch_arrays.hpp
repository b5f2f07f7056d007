// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one group of a batch on one side: lufact makes the input where it is needed,
// restores it before every repetition and judges what any stage or library made of it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/array/problem_arrays.hpp"
#include "core/batch/batch_input.hpp"
#include "core/verify/batch_check.hpp"

namespace lufact {

// The result of a matrix in double, by columns without padding: for files and tests.
struct BatchResult {
  std::vector<double> values;  // LU or inverse, n x n; solve: n x rhs
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

// The results of some matrices, one after the other; a part that was not asked for is empty.
struct PackedResults {
  std::vector<double> values;
  std::vector<std::int32_t> pivots, info;
};

enum class ResultPart { values, pivots, all };

// Hashes are of the results of a seeded sample of 65,536 matrices, or all. Restores without a copy
// of the input, where there is no room for one: made again.
class BatchArrays : public ProblemArrays {
 public:
  // Every matrix by the validator of this side, a seeded sample and every matrix with info > 0 by
  // the one on the host too.
  virtual BatchCheck check(const BatchCheckRequest& request) = 0;
  // Of the matrices with these numbers, in their order. Replaces what `results` holds and uses its
  // memory again, since touching new memory can take longer than what it is filled with.
  virtual void pack_results(std::span<const Offset> matrices, ResultPart part,
                            PackedResults& results) const = 0;
  std::vector<BatchResult> results(std::span<const Offset> matrices) const;
  BatchResult result(Offset matrix) const { return std::move(results({&matrix, 1}).front()); }
};

// Calls take(result), which may change it, for matrices number(0) to number(count - 1) in this
// order. They come from the arrays some at a time, since each way to the device costs as much.
template <class Number, class Take>
void for_results(const BatchArrays& arrays, Offset count, const Number& number, const Take& take) {
  constexpr Offset at_a_time = 512;
  std::vector<Offset> matrices;
  for (Offset first = 0; first < count; first += at_a_time) {
    matrices.clear();
    for (Offset k = first; k < std::min(count, first + at_a_time); ++k) {
      matrices.push_back(number(k));
    }
    for (BatchResult& result : arrays.results(matrices)) take(result);
  }
}

}  // namespace lufact
