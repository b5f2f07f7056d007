// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/fronts/analysis/arrowheads.hpp"
#include "core/fronts/analysis/subtree_ranges.hpp"

namespace lufact {

// Entries of each column of the Cholesky factor of the pattern of B + B', diagonal included:
// Gilbert, Ng and Peyton, "An efficient algorithm to compute row and column counts for sparse
// Cholesky factorization", SIAM J. Matrix Anal. Appl. 15, 1994, figure 3. `forest` is the
// elimination forest. Nearly O(n + nnz). Several threads count the ranges of `forest`; then one
// thread counts the columns above the ranges and corrects rows with leaves in several ranges.
std::vector<Index> column_counts(const Arrowheads& entries, const ColumnForest& forest,
                                 int threads);

}  // namespace lufact
