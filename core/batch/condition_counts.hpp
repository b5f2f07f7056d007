// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/batch/batch_input.hpp"
#include "core/pipeline/batch_record.hpp"

namespace lufact {

// Of the different matrices that a batch repeats, by their 1-norm condition: `singular` to working
// precision in double (above 1 / eps, or a zero pivot), `near_singular` above 1e8 and not singular.
// Inverts every one that is given by Gauss-Jordan elimination with partial pivoting, in double; at
// most group.count of each group. Those of a kind are not counted. A matrix with NaN or Inf is
// neither. Parallel over matrices.
BatchConditions count_conditions(const BatchInput& input, int threads);

}  // namespace lufact
