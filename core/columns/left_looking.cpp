// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/left_looking.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/columns/finished_columns.hpp"

namespace lufact {
namespace {

// One thread's dense work column and its report on pivots.
template <class T>
class ColumnWorker {
 public:
  ColumnWorker(const EliminationProblem<T>& problem, const FinishedColumns& finished)
      : problem_(problem),
        finished_(finished),
        rows_(problem.storage.columns.col_idx.data()),
        work_(static_cast<std::size_t>(problem.matrix.pattern.n_rows), T(0)) {}

  void compute(Index j) {
    const auto column = static_cast<std::size_t>(j);
    const Offset begin = problem_.storage.columns.row_ptr[column];
    const Offset end = problem_.storage.columns.row_ptr[column + 1];
    const Offset diagonal = problem_.storage.diagonal[column];
    scatter_input(column);
    for (Offset q = begin; q < diagonal;) q += eliminate_from(rows_[q], j);
    const T pivot = report_.guarded_pivot(work_[column], problem_.pivots);
    work_[column] = pivot;
    T* const values = problem_.values.data();
    for (Offset q = begin; q <= diagonal; ++q) values[q] = take(rows_[q]);
    for (Offset q = diagonal + 1; q < end; ++q) values[q] = take(rows_[q]) / pivot;
    for (Offset q = begin; q < end; ++q) report_.note_factor(values[q]);
  }

  const PivotReport& report() const noexcept { return report_; }

 private:
  void scatter_input(std::size_t j) {
    const auto& rows = problem_.input.pattern;
    for (Offset q = rows.row_ptr[j]; q < rows.row_ptr[j + 1]; ++q) {
      const double value = problem_.scaled_input(q, j);
      report_.largest_input = std::max(report_.largest_input, std::abs(value));
      work_[static_cast<std::size_t>(rows.col_idx[static_cast<std::size_t>(q)])] =
          static_cast<T>(value);
    }
  }

  // Eliminates in column j with column k and the columns that follow k in its block. U(:,j) names
  // all of these, since the pattern is closed. Returns how many columns those are.
  Index eliminate_from(Index k, Index j) {
    const Index available =
        std::min(problem_.storage.block_end[static_cast<std::size_t>(k)], j) - k;
    if (available >= 8) return eliminate<8>(k);
    if (available >= 4) return eliminate<4>(k);
    if (available >= 2) return eliminate<2>(k);
    return eliminate<1>(k);
  }

  // work -= L(:,k .. k+width-1) U(k .. k+width-1,j), where the columns have the same rows below the
  // block: one pass over those rows reads and writes the work column once for all of them. A column
  // without an L part changes nothing and may come later in the order, since no dependency rule
  // counts it: it must not be waited for. The last column of a block needs the others, so that
  // waiting for it is enough.
  template <int width>
  Index eliminate(Index k) {
    const Index last = k + width - 1;
    const Offset begin = problem_.storage.diagonal[static_cast<std::size_t>(last)] + 1;
    const Offset end = problem_.storage.columns.row_ptr[static_cast<std::size_t>(last) + 1];
    if (begin == end) return width;
    finished_.wait(last);
    T* const work = work_.data();
    const T* below[width];
    T multiplier[width];
    bool any = false;
    for (int c = 0; c < width; ++c) {
      const Offset diagonal = problem_.storage.diagonal[static_cast<std::size_t>(k + c)];
      const T* const column = problem_.values.data() + diagonal + 1;
      multiplier[c] = work[k + c];
      any |= multiplier[c] != T(0);
      for (int r = c + 1; r < width; ++r) work[k + r] -= column[r - c - 1] * multiplier[c];
      below[c] = column + (width - 1 - c);
    }
    if (!any) return width;
    const Index* const rows = rows_ + begin;
    const Offset count = end - begin;
    for (Offset t = 0; t < count; ++t) {
      T value = work[rows[t]];
      for (int c = 0; c < width; ++c) value -= below[c][t] * multiplier[c];
      work[rows[t]] = value;
    }
    return width;
  }

  // The work column is all zeros again once every entry has been taken.
  T take(Index row) {
    T& entry = work_[static_cast<std::size_t>(row)];
    const T value = entry;
    entry = T(0);
    return value;
  }

  const EliminationProblem<T>& problem_;
  const FinishedColumns& finished_;
  const Index* rows_;
  std::vector<T> work_;
  PivotReport report_;
};

}  // namespace

template <class T>
PivotReport LeftLooking<T>::factor(const EliminationProblem<T>& problem) {
  const std::vector<Index>& order = problem.schedule.columns;
  const std::size_t n = order.size();
  FinishedColumns finished(n);
  // Made before the threads start: an allocation that fails must not leave others waiting.
  std::vector<ColumnWorker<T>> workers;
  const int threads =
      std::max(1, std::min(problem.threads, static_cast<int>(std::max<std::size_t>(n, 1))));
  for (int t = 0; t < threads; ++t) workers.emplace_back(problem, finished);
  std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads)
  {
    ColumnWorker<T>& worker = workers[static_cast<std::size_t>(omp_get_thread_num())];
    for (std::size_t k = next.fetch_add(1); k < n; k = next.fetch_add(1)) {
      worker.compute(order[k]);
      finished.mark(order[k]);
    }
  }
  PivotReport report;
  for (const auto& worker : workers) report.merge(worker.report());
  return report;
}

template class LeftLooking<float>;
template class LeftLooking<double>;

}  // namespace lufact
