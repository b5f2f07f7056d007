// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/glu3/right_looking.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lufact {
namespace {

// One thread's work and what it has seen.
template <class T>
class LevelWorker {
 public:
  LevelWorker(const EliminationProblem<T>& problem, const UpdatePlan& plan)
      : problem_(problem),
        plan_(plan),
        rows_(problem.storage.columns.col_idx.data()),
        values_(problem.values.data()) {}

  // Column j of B among the zeros of the pattern.
  void place_input(Index j) {
    const auto& input = problem_.input.pattern;
    Offset position = begin_of(j);
    std::fill(values_ + position, values_ + end_of(j), T(0));
    for (Offset q = input.row_ptr[at(j)]; q < input.row_ptr[at(j) + 1]; ++q) {
      const double value = problem_.scaled_input(q, at(j));
      report_.largest_input = std::max(report_.largest_input, std::abs(value));
      while (rows_[position] != input.col_idx[at(q)]) ++position;
      values_[position] = static_cast<T>(value);
    }
  }

  // Column j has all its updates: its part of U is final, and its part of L once divided.
  void divide(Index j) {
    const Offset diagonal = problem_.storage.diagonal[at(j)];
    const T pivot = report_.guarded_pivot(values_[diagonal], problem_.pivots);
    values_[diagonal] = pivot;
    for (Offset q = diagonal + 1; q < end_of(j); ++q) values_[q] /= pivot;
    for (Offset q = begin_of(j); q < end_of(j); ++q) report_.note_factor(values_[q]);
  }

  // All updates of one target in one level.
  void update(Offset group) {
    Offset position = begin_of(plan_.updates[plan_.group_ptr[at(group)]].target);
    for (Offset u = plan_.group_ptr[at(group)]; u < plan_.group_ptr[at(group) + 1]; ++u) {
      position = subtract(plan_.updates[u], position);
    }
  }

  const PivotReport& report() const noexcept { return report_; }

 private:
  Offset begin_of(Index j) const { return problem_.storage.columns.row_ptr[at(j)]; }
  Offset end_of(Index j) const { return problem_.storage.columns.row_ptr[at(j) + 1]; }

  // The row of the source is in the target, at or beyond `position`, and so is every row of its
  // part of L: the pattern is closed. Returns the position of the source's row.
  Offset subtract(ColumnUpdate update, Offset position) {
    const Offset target_end = end_of(update.target), source_end = end_of(update.source);
    const Offset found = find(update.source, position, target_end);
    const T multiplier = values_[found];
    Offset to = found + 1;
    Offset from = problem_.storage.diagonal[at(update.source)] + 1;
    constexpr Offset worthwhile_ratio = 16;  // of rows to pass by for a binary search
    if (target_end - to > worthwhile_ratio * (source_end - from)) {
      for (; from < source_end; ++from) {
        to = find(rows_[from], to, target_end);
        values_[to] -= values_[from] * multiplier;
      }
    } else {
      for (; from < source_end; ++from, ++to) {
        while (rows_[to] != rows_[from]) ++to;
        values_[to] -= values_[from] * multiplier;
      }
    }
    return found;
  }

  Offset find(Index row, Offset begin, Offset end) const {
    return std::lower_bound(rows_ + begin, rows_ + end, row) - rows_;
  }

  const EliminationProblem<T>& problem_;
  const UpdatePlan& plan_;
  const Index* rows_;
  T* values_;
  PivotReport report_;
};

// Called by every thread of a team.
template <class T>
void run_parallel_level(const EliminationProblem<T>& problem, const UpdatePlan& plan, Index level,
                        LevelWorker<T>& worker) {
  const auto& schedule = problem.schedule;
  const Index end = schedule.level_ptr[at(level) + 1];
#pragma omp for schedule(static)
  for (Index p = schedule.level_ptr[at(level)]; p < end; ++p)
    worker.divide(schedule.columns[at(p)]);
  const Offset groups_end = plan.level_group_ptr[at(level) + 1];
#pragma omp for schedule(dynamic, 4)
  for (Offset g = plan.level_group_ptr[at(level)]; g < groups_end; ++g) worker.update(g);
}

template <class T>
void run_level_alone(const EliminationProblem<T>& problem, const UpdatePlan& plan, Index level,
                     LevelWorker<T>& worker) {
  const auto& schedule = problem.schedule;
  for (Index p = schedule.level_ptr[at(level)]; p < schedule.level_ptr[at(level) + 1]; ++p) {
    worker.divide(schedule.columns[at(p)]);
  }
  const Offset groups_end = plan.level_group_ptr[at(level) + 1];
  for (Offset g = plan.level_group_ptr[at(level)]; g < groups_end; ++g) worker.update(g);
}

template <class T>
void run_steps(const EliminationProblem<T>& problem, const UpdatePlan& plan,
               LevelWorker<T>& worker) {
  for (std::size_t step = 0; step < plan.step_is_parallel.size(); ++step) {
    if (plan.step_is_parallel[step] != 0) {
      run_parallel_level(problem, plan, plan.step_ptr[step], worker);
    } else {
#pragma omp single
      for (Index level = plan.step_ptr[step]; level < plan.step_ptr[step + 1]; ++level) {
        run_level_alone(problem, plan, level, worker);
      }
    }
  }
}

}  // namespace

template <class T>
PivotReport RightLooking<T>::factor(const EliminationProblem<T>& problem) {
  if (!plan_) {
    plan_ = plan_updates(problem.pattern, problem.storage, problem.schedule, problem.threads);
  }
  std::vector<LevelWorker<T>> workers;
  for (int t = 0; t < problem.threads; ++t) workers.emplace_back(problem, *plan_);
  const Index n = problem.matrix.pattern.n_rows;
#pragma omp parallel num_threads(problem.threads)
  {
    LevelWorker<T>& worker = workers[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 64)
    for (Index j = 0; j < n; ++j) worker.place_input(j);
    run_steps(problem, *plan_, worker);
  }
  PivotReport report;
  for (const auto& worker : workers) report.merge(worker.report());
  return report;
}

template class RightLooking<float>;
template class RightLooking<double>;

}  // namespace lufact
