// SPDX-License-Identifier: BSD-3-Clause
// Dependencies between columns under three rules, and the levels that follow from them. All rules
// read the pattern of L + U only; every edge goes from a column to a later one.
//
// A right-looking factorization by columns (GLU) finishes column i, then subtracts L(:,i) U(i,k)
// from every column k > i with U(i,k) != 0.
//   glu1     i -> k iff U(i,k) != 0 and L(:,i) is not empty: column k is changed by column i.
//            Unsafe in parallel: column t may read A(t,k) as a factor U(t,k) while column i < t
//            still has to change it (the "double-U" hazard, GLU 2.0). For study only.
//   exact    glu1, and i -> t iff L(t,i) != 0 and the last column of row i of U lies beyond t: then
//            some k > t has U(i,k) != 0, A(t,k) is changed by column i and read by column t. On a
//            pattern closed under fill that is the whole hazard, found in O(nnz).
//   relaxed  glu1, and i -> t for every L(t,i) != 0 (GLU 3.0, Algorithm 4): a superset of exact.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The level of every column, from 0: one more than the largest level of the columns before it.
// Two passes over the pattern, O(nnz). The pattern must be that of L + U (closed under fill).
std::vector<Index> column_levels(const ColumnPattern& pattern, DependencyRule rule);

// The number of levels; 0 for an empty matrix.
Offset count_levels(const ColumnPattern& pattern, DependencyRule rule);

}  // namespace lufact
