// SPDX-License-Identifier: BSD-3-Clause
// The operations on one group of matrices after the other, as many as a vector has lanes.
#pragma once
#include "core/batch/cpu/elimination.hpp"
#include "core/batch/cpu/kernels.hpp"
#include "core/batch/cpu/small_orders.hpp"

namespace lufact {
namespace {

// As many pivots as L has lanes.
template <class L>
struct PivotLanes {
  using Real = std::int32_t;
  typedef Real Vector __attribute__((vector_size(4 * L::count), may_alias));
  static constexpr int count = L::count;
};

template <class L>
class GroupWork {
 public:
  using Real = typename L::Real;

  static Offset workspace(const CpuBatchTask& task) {
    return panel_size(task.n, task.n) + panel_size(task.n, second_columns(task));
  }

  GroupWork(const CpuBatchTask& task, Real* workspace)
      : task_(task), lu_(workspace), second_(workspace + panel_size(task.n, task.n)) {}

  void run(Offset begin, Offset end) {
    const auto a = matrices(task_.a, task_.n, task_.ld, begin, end);
    pack<L>(a, task_.n, task_.n, lu_);
    if (!factor_small<L>(lu_, task_.n, places_, info_)) factor<L>(lu_, task_.n, places_, info_);
    store_pivots(begin, a.lanes);
    switch (task_.operation) {
      case ArrayOperation::lu:
        return unpack<L>(lu_, task_.n, task_.n, nullptr,
                         matrices(task_.result, task_.n, task_.ld, begin, end));
      case ArrayOperation::inverse:
        return invert(matrices(task_.result, task_.n, task_.ld, begin, end));
      case ArrayOperation::solve:
        return solve(matrices(task_.b, task_.rhs, task_.n, begin, end));
    }
  }

 private:
  static constexpr int lanes = L::count;
  static constexpr Index largest_order = 64;

  static Offset panel_size(Index n, Index columns) { return columns * panel_stride(n) * lanes; }
  static Index second_columns(const CpuBatchTask& task) {
    if (task.operation == ArrayOperation::lu) return 0;
    return task.operation == ArrayOperation::solve ? task.rhs : task.n;
  }

  GroupMatrices<L> matrices(void* base, Index columns, Index ld, Offset begin, Offset end) const {
    return group_matrices<L>(base, task_.layout, columns, ld, task_.count, begin, end);
  }

  void store_pivots(Offset begin, int used) {
    for (int lane = 0; lane < used; ++lane) task_.info[begin + lane] = info_[lane];
    if (task_.pivots == nullptr) return;
    using Pivots = PivotLanes<L>;
    std::int32_t* to[lanes] = {};
    for (int lane = 0; lane < used; ++lane) to[lane] = task_.pivots + (begin + lane) * task_.n;
    for (Index k = 0; k < task_.n; ++k) {
      const auto& place = *reinterpret_cast<const typename L::Mask*>(places_ + k * lanes);
      vector_at<Pivots>(pivots_, k) =
          __builtin_convertvector(place / lanes + 1, typename Pivots::Vector);
    }
    unpack_run<Pivots>(pivots_, 0, task_.n, used, to);
  }

  std::int32_t pivot_row(Index k, int lane) const {
    return static_cast<std::int32_t>(places_[k * lanes + lane] / lanes);
  }

  // Columns of `columns` from row `first` of the solution on.
  void substitute(Index columns) {
    for (Index c = 0; c < columns; c += column_block) {
      const Index some = columns - c < column_block ? columns - c : column_block;
      Real* const block = second_ + panel_size(task_.n, c);
      forward<L>(lu_, task_.n, task_.n, some, block);
      backward<L>(lu_, task_.n, some, block);
    }
  }

  // U \ (L \ I), whose column r is the column of the inverse that row r of PA came from.
  void invert(const GroupMatrices<L>& to) {
    const Index n = task_.n;
    for (Offset p = 0; p < panel_size(n, n); ++p) second_[p] = 0;
    for (Index k = 0; k < n; ++k) {
      vector_at<L>(second_, k * panel_stride(n) + k) += Real{1};
    }
    substitute(n);
    make_singular_nan(n);
    unpack<L>(second_, n, n, permuted_rows(), to);
  }

  void solve(const GroupMatrices<L>& b) {
    pack<L>(b, task_.n, task_.rhs, second_);
    exchange_rows<L>(places_, 0, task_.n, task_.n, task_.rhs, second_);
    substitute(task_.rhs);
    make_singular_nan(task_.rhs);
    unpack<L>(second_, task_.n, task_.rhs, nullptr, b);
  }

  // Row r of PA is row permutation_[r * lanes + lane] of A.
  const std::int32_t* permuted_rows() {
    for (Index k = 0; k < task_.n; ++k) {
      for (int lane = 0; lane < lanes; ++lane) permutation_[k * lanes + lane] = k;
    }
    for (Index k = 0; k < task_.n; ++k) {
      for (int lane = 0; lane < lanes; ++lane) {
        std::int32_t& other = permutation_[pivot_row(k, lane) * lanes + lane];
        const std::int32_t row = permutation_[k * lanes + lane];
        permutation_[k * lanes + lane] = other;
        other = row;
      }
    }
    return permutation_;
  }

  void make_singular_nan(Index columns) {
    for (int lane = 0; lane < lanes; ++lane) {
      if (info_[lane] == 0) continue;
      for (Offset p = lane; p < panel_size(task_.n, columns); p += lanes) {
        second_[p] = static_cast<Real>(__builtin_nan(""));
      }
    }
  }

  const CpuBatchTask& task_;
  Real* lu_;
  Real* second_;  // the inverse or the right-hand sides
  std::int32_t info_[lanes];
  alignas(64) Places<L> places_[largest_order * lanes];
  alignas(64) std::int32_t pivots_[largest_order * lanes];  // rows from 1
  std::int32_t permutation_[largest_order * lanes];
};

template <class L>
Offset workspace_entries(const CpuBatchTask& task) {
  return GroupWork<L>::workspace(task);
}

template <class L>
void run_groups(const CpuBatchTask& task, Offset begin, Offset end, typename L::Real* workspace) {
  GroupWork<L> work(task, workspace);
  for (Offset k = begin; k < end; k += L::count) work.run(k, end);
}

CpuBatchKernels kernels_named(const char* name) {
  return {{name, FloatLanes::count, workspace_entries<FloatLanes>, run_groups<FloatLanes>},
          {name, DoubleLanes::count, workspace_entries<DoubleLanes>, run_groups<DoubleLanes>}};
}

}  // namespace
}  // namespace lufact
