// SPDX-License-Identifier: BSD-3-Clause
// The left-looking column gather: column j of L and U from the finished columns that U(:,j) names.
#pragma once
#include "core/columns/column_elimination.hpp"

namespace lufact {

// Threads take columns in the order of the schedule; a thread that needs an unfinished column waits
// until its thread has finished it; the wait ends because that column was taken earlier. Each
// column is computed by one thread in one fixed order of operations, so the values do not depend on
// the number of threads. Columns of a block (ColumnStorage) are subtracted together, the sparse
// form of a rank-k update.
template <class T>
class LeftLooking final : public ColumnElimination<T> {
 public:
  PivotReport factor(const EliminationProblem<T>& problem) override;
};

}  // namespace lufact
