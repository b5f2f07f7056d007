// SPDX-License-Identifier: BSD-3-Clause
#include "core/cpu/left_looking.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

namespace lufact {
namespace {

// Which columns are finished; the release of a mark makes the column's values visible.
class FinishedColumns {
 public:
  explicit FinishedColumns(std::size_t n) : marks_(std::make_unique<std::atomic<char>[]>(n)) {
    for (std::size_t j = 0; j < n; ++j) marks_[j].store(0, std::memory_order_relaxed);
  }
  void mark(Index j) {
    marks_[static_cast<std::size_t>(j)].store(1, std::memory_order_release);
  }
  void wait(Index j) const {
    constexpr int spins_before_yield = 256;
    const auto& done = marks_[static_cast<std::size_t>(j)];
    for (int spins = 0; done.load(std::memory_order_acquire) == 0; ++spins) {
      if (spins >= spins_before_yield) std::this_thread::yield();
    }
  }

 private:
  std::unique_ptr<std::atomic<char>[]> marks_;
};

// One thread's dense work column and what it has seen.
template <class T>
class ColumnWorker {
 public:
  ColumnWorker(const LeftLookingProblem<T>& problem, const FinishedColumns& finished)
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
    for (Offset q = begin; q < diagonal; ++q) eliminate(rows_[q]);
    const T pivot = guarded_pivot(work_[column]);
    work_[column] = pivot;
    T* const values = problem_.values.data();
    for (Offset q = begin; q <= diagonal; ++q) values[q] = take(rows_[q]);
    for (Offset q = diagonal + 1; q < end; ++q) values[q] = take(rows_[q]) / pivot;
    for (Offset q = begin; q < end; ++q) note_factor(values[q]);
  }

  const PivotReport& report() const noexcept { return report_; }

 private:
  void scatter_input(std::size_t j) {
    const auto& matrix = problem_.matrix;
    const auto& input = problem_.input;
    for (Offset q = input.pattern.row_ptr[j]; q < input.pattern.row_ptr[j + 1]; ++q) {
      const auto i = static_cast<std::size_t>(input.pattern.col_idx[static_cast<std::size_t>(q)]);
      const Offset source = input.source[static_cast<std::size_t>(q)];
      const double value = matrix.row_scale[i] * matrix.values[static_cast<std::size_t>(source)] *
                           matrix.col_scale[j];
      report_.largest_input = std::max(report_.largest_input, std::abs(value));
      work_[i] = static_cast<T>(value);
    }
  }

  // work -= U(k,j) * L(:,k). A column without an L part changes nothing and may come later in the
  // order, since no dependency rule counts it: it must not be waited for.
  void eliminate(Index k) {
    const Offset begin = problem_.storage.diagonal[static_cast<std::size_t>(k)] + 1;
    const Offset end = problem_.storage.columns.row_ptr[static_cast<std::size_t>(k) + 1];
    if (begin == end) return;
    finished_.wait(k);
    const T multiplier = work_[static_cast<std::size_t>(k)];
    if (multiplier == T(0)) return;
    const T* const values = problem_.values.data();
    T* const work = work_.data();
    for (Offset p = begin; p < end; ++p) {
      work[rows_[p]] -= values[p] * multiplier;
    }
  }

  T guarded_pivot(T pivot) {
    const auto smallest = static_cast<T>(problem_.pivots.smallest);
    if (!(std::abs(pivot) < smallest)) return pivot;
    const T replaced = pivot == T(0) ? smallest : std::copysign(smallest, pivot);
    ++report_.perturbed;
    report_.largest_change =
        std::max(report_.largest_change, std::abs(static_cast<double>(replaced - pivot)));
    return replaced;
  }

  // The work column is all zeros again once every entry has been taken.
  T take(Index row) {
    T& entry = work_[static_cast<std::size_t>(row)];
    const T value = entry;
    entry = T(0);
    return value;
  }

  void note_factor(T value) {
    report_.largest_factor =
        std::max(report_.largest_factor, std::abs(static_cast<double>(value)));
  }

  const LeftLookingProblem<T>& problem_;
  const FinishedColumns& finished_;
  const Index* rows_;
  std::vector<T> work_;
  PivotReport report_;
};

void merge(PivotReport& into, const PivotReport& from) {
  into.perturbed += from.perturbed;
  into.largest_change = std::max(into.largest_change, from.largest_change);
  into.largest_factor = std::max(into.largest_factor, from.largest_factor);
  into.largest_input = std::max(into.largest_input, from.largest_input);
}

}  // namespace

template <class T>
PivotReport factor_left_looking(const LeftLookingProblem<T>& problem) {
  const std::size_t n = problem.order.size();
  FinishedColumns finished(n);
  // Made before the threads start: an allocation that fails must not leave others waiting.
  std::vector<ColumnWorker<T>> workers;
  const int threads = std::max(1, std::min(problem.threads, static_cast<int>(std::max<std::size_t>(n, 1))));
  for (int t = 0; t < threads; ++t) workers.emplace_back(problem, finished);
  std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads)
  {
    ColumnWorker<T>& worker = workers[static_cast<std::size_t>(omp_get_thread_num())];
    for (std::size_t k = next.fetch_add(1); k < n; k = next.fetch_add(1)) {
      worker.compute(problem.order[k]);
      finished.mark(problem.order[k]);
    }
  }
  PivotReport report;
  for (const auto& worker : workers) merge(report, worker.report());
  return report;
}

template PivotReport factor_left_looking<float>(const LeftLookingProblem<float>&);
template PivotReport factor_left_looking<double>(const LeftLookingProblem<double>&);

}  // namespace lufact
