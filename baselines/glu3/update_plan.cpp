// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/glu3/update_plan.hpp"

#include <algorithm>

#include "core/matrix/counting_sort.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

Offset lower_entries(const ColumnStorage& storage, Index column) {
  return storage.columns.row_ptr[at(column) + 1] - storage.diagonal[at(column)] - 1;
}

// Sorts the entries of U above the diagonal, column by column, by the level of their row: inside a
// level targets ascend, and sources inside a target. Fills the position of each level.
std::vector<Offset> sort_by_level(const ColumnStorage& storage, const ColumnSchedule& schedule,
                                  int threads, UpdatePlan& plan) {
  const std::vector<Index> first = balanced_ranges(storage.columns.row_ptr, threads);
  CountingSort positions(threads, schedule.levels());
  const auto for_updates = [&](Offset range, const auto& body) {
    const Index* const rows = storage.columns.col_idx.data();
    Offset* const count = positions.counts(range);
    for (Index k = first[at(range)]; k < first[at(range) + 1]; ++k) {
      for (Offset q = storage.columns.row_ptr[at(k)]; q < storage.diagonal[at(k)]; ++q) {
        if (lower_entries(storage, rows[q]) == 0) continue;
        body(count[schedule.level_of[at(rows[q])]]++, ColumnUpdate{k, rows[q]});
      }
    }
  };
  parallel_for(threads, threads, [&](Offset range) {
    positions.clear(range);
    for_updates(range, [](Offset, ColumnUpdate) {});
  });
  std::vector<Offset> level_ptr(at(schedule.levels()) + 1, 0);
  positions.to_positions(level_ptr, threads);
  plan.updates = UninitializedArray<ColumnUpdate>(level_ptr.back());
  parallel_for(threads, threads, [&](Offset range) {
    for_updates(range,
                [&](Offset position, ColumnUpdate update) { plan.updates[position] = update; });
  });
  return level_ptr;
}

void find_groups(const std::vector<Offset>& level_ptr, UpdatePlan& plan) {
  for (std::size_t level = 0; level + 1 < level_ptr.size(); ++level) {
    for (Offset u = level_ptr[level]; u < level_ptr[level + 1]; ++u) {
      const bool ends =
          u + 1 == level_ptr[level + 1] || plan.updates[u + 1].target != plan.updates[u].target;
      if (ends) plan.group_ptr.push_back(u + 1);
    }
    plan.level_group_ptr.push_back(static_cast<Offset>(plan.group_ptr.size()) - 1);
  }
}

// Multiply-adds of each level.
std::vector<Offset> level_work(const ColumnPattern& pattern, const ColumnStorage& storage,
                               const ColumnSchedule& schedule) {
  std::vector<Offset> work(at(schedule.levels()), 0);
  for (Index j = 0; j < pattern.rows.n_rows; ++j) {
    const Offset upper = pattern.rows.row_ptr[at(j) + 1] - pattern.diagonal[at(j)] - 1;
    work[at(schedule.level_of[at(j)])] += lower_entries(storage, j) * upper;
  }
  return work;
}

void find_steps(const std::vector<Offset>& work, UpdatePlan& plan) {
  constexpr Offset worthwhile_multiply_adds = 20'000;
  bool previous_is_parallel = true;
  for (std::size_t level = 0; level < work.size(); ++level) {
    const bool parallel = work[level] >= worthwhile_multiply_adds;
    if (level > 0 && (parallel || previous_is_parallel)) {
      plan.step_ptr.push_back(static_cast<Index>(level));
    }
    if (parallel || previous_is_parallel) plan.step_is_parallel.push_back(parallel ? 1 : 0);
    previous_is_parallel = parallel;
  }
  if (!work.empty()) plan.step_ptr.push_back(static_cast<Index>(work.size()));
}

}  // namespace

UpdatePlan plan_updates(const ColumnPattern& pattern, const ColumnStorage& storage,
                        const ColumnSchedule& schedule, int threads) {
  UpdatePlan plan;
  find_groups(sort_by_level(storage, schedule, threads, plan), plan);
  find_steps(level_work(pattern, storage, schedule), plan);
  return plan;
}

}  // namespace lufact
