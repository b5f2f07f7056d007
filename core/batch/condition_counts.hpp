// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/batch/batch_input.hpp"

namespace lufact {

// Of the different matrices that a batch repeats, by their 1-norm condition.
struct ConditionCounts {
  Offset matrices = 0;
  Offset singular = 0;       // to working precision in double: above 1 / eps, or a zero pivot
  Offset near_singular = 0;  // above 1e8, and not singular
};

// Inverts every one that is given by Gauss-Jordan elimination with partial pivoting, in double; at
// most group.count of each group. Those of a kind are not counted. A matrix with NaN or Inf is
// neither. Parallel over matrices.
ConditionCounts count_conditions(const BatchInput& input, int threads);

}  // namespace lufact
