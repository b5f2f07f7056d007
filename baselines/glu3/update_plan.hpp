// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/base/uninitialized_array.hpp"
#include "core/columns/column_storage.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The updates of a right-looking factorization: column `source` of L times U(source, target) is
// subtracted from column `target`.
struct ColumnUpdate {
  Index target, source;
};

// Updates by the level of their source and, inside a level, by target and source, ascending. All
// updates of one target in one level are a group.
struct UpdatePlan {
  UninitializedArray<ColumnUpdate> updates;
  std::vector<Offset> group_ptr{0};        // group g is updates[group_ptr[g] .. group_ptr[g+1])
  std::vector<Offset> level_group_ptr{0};  // level l has the groups [l] .. [l+1]
  // Steps end at levels: step s is the levels step_ptr[s] .. step_ptr[s+1]. A level of much work is
  // a step of its own; the others are put together for one thread, which saves their barriers.
  std::vector<Index> step_ptr{0};
  std::vector<char> step_is_parallel;
};

// Columns without a part of L update nothing. O(nnz(U) + n) on up to `threads` threads.
UpdatePlan plan_updates(const ColumnPattern& pattern, const ColumnStorage& storage,
                        const ColumnSchedule& schedule, int threads);

}  // namespace lufact
