// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/fronts/pivot_entries.hpp"
#include "core/fronts/subtree_ranges.hpp"

namespace lufact {

// Entries of each column of the Cholesky factor of the pattern of B + B', diagonal included:
// Gilbert, Ng and Peyton, "An efficient algorithm to compute row and column counts for sparse
// Cholesky factorization", SIAM J. Matrix Anal. Appl. 15, 1994, figure 3. `parent` is the
// elimination forest, of which labels are a postorder, `size` from subtree_sizes. Nearly
// O(n + nnz). Ranges are counted by several threads, then what is above them and the rows that
// several of them have leaves of.
std::vector<Index> column_counts(const PivotEntries& entries, std::span<const Index> parent,
                                 std::span<const Index> size, const SubtreeRanges& ranges,
                                 int threads);

}  // namespace lufact
