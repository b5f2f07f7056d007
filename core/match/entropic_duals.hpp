// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "core/base/buffer.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// Column duals near those of the least-cost assignment, not feasible with any row duals in
// particular; 0 for a column without a finite cost.
//
// Algorithm: the scaling that makes rows and columns of the matrix exp(-c_ij / T) sum to 1
// (Sinkhorn and Knopp, Pacific J. Math. 21(2), 1967) has T times its logarithms as duals, which
// tend to optimal ones with T -> 0: Sharify, Gaubert and Grigori, "Solution of the optimal
// assignment problem by diagonal scaling algorithms", 2011. Here T = 2, 1 and 1/2 with six sweeps
// each, parallel and the same for every number of threads.
//
// +infinity stands for an entry that is not there.
nd::Buffer<double> entropic_column_duals(const PatternView& pattern, std::span<const double> costs,
                                         int threads);

}  // namespace lufact
