// SPDX-License-Identifier: BSD-3-Clause
// The left-looking column gather: column j of L and U from the finished columns that U(:,j) names.
#pragma once
#include <span>
#include <vector>

#include "core/cpu/column_storage.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

struct PivotRule {
  double smallest = 0;  // absolute: threshold times the largest row sum of the scaled matrix
};

struct PivotReport {
  Offset perturbed = 0;
  double largest_change = 0;  // |new pivot - old pivot|
  double largest_factor = 0;  // max |L|, |U|; infinity where one is not finite
  double largest_input = 0;   // max |row_scale B col_scale|
};

// What one factorization reads and writes. Values are by column, like `storage`.
template <class T>
struct LeftLookingProblem {
  const PermutedMatrix& matrix;
  const TransposedPattern& input;  // of the matrix, by columns
  const ColumnStorage& storage;
  std::span<const Index> order;  // columns such that every column comes after those it needs
  PivotRule pivots;
  int threads = 1;
  std::span<T> values;  // out
};

// Threads take columns in `order`; a thread that needs a column another one still works on waits
// for it, which ends since that column was taken earlier. Each column is computed by one thread in
// one fixed order of operations, so the values do not depend on the number of threads. A pivot p
// with |p| < smallest becomes copysign(smallest, p), +smallest for 0; NaN stays. Columns of a block
// (ColumnStorage) are subtracted together, the sparse form of a rank-k update.
template <class T>
PivotReport factor_left_looking(const LeftLookingProblem<T>& problem);

}  // namespace lufact
