// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a run on one large dense matrix that follow from others.
#pragma once
#include <string>
#include <vector>

#include "core/pipeline/record.hpp"

namespace lufact {

// LU of an m x n matrix with k = min(m, n): 2 m n k - (m + n) k^2 + 2 k^3 / 3, which is 2 n^3 / 3
// of a square one; solve: that and 2 n^2 for each right-hand side. Terms of lower order are left
// out, as is what refinement does.
double dense_flops(const std::string& operation, Index m, Index n, Index rhs);

// Sets flops of the section `dense`, and the rate by median_work_time(). No rate without samples.
void set_dense_figures(RunRecord& run);

// What cannot be together in the section `dense` of a run, in words. A run without samples may have
// been refused for just that.
std::vector<std::string> dense_violations(const RunRecord& run);

}  // namespace lufact
