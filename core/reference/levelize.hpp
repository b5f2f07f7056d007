// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of levelization, straight from the definitions of the dependency rules.
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"

namespace lufact::reference {

// For each column, the columns that must come before it, ascending:
//   glu1     every i with U(i,k) != 0 whose column of L is not empty (GLU 1.0; unsafe)
//   exact    glu1's, and double-U dependencies by the triple loop of GLU3 Algorithm 3 (GLU 2.0):
//            i before t iff L(t,i) != 0 and some row j >= t with As(j,t) != 0 has a column k > t in
//            common with row i
//   relaxed  GLU3 Algorithm 4: those of glu1, and every i with L(k,i) != 0
std::vector<std::vector<Index>> dependencies(const ColumnPattern& pattern, DependencyRule rule);

// level = 1 + largest level of a dependency, 0 where there is none.
ColumnSchedule levelize(const ColumnPattern& pattern, DependencyRule rule);

}  // namespace lufact::reference
