// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/sweep.cuh"

namespace lufact::gpu {

template <class T, int columns>
struct SmallFrontVector {
  T entry[tile][columns];
  ChildRows children[children_at_hand];
};

// A small front by one warp. What it reads of its factors first is on its way while it waits.
template <class T, int columns, Pivoting pivoting>
class SmallFrontSweep : private Sweep<T, columns, WarpGroup> {
  using Base = Sweep<T, columns, WarpGroup>;
  using Base::at, Base::problem_, Base::shape_, Base::task_;

 public:
  __device__ SmallFrontSweep(const SolveProblem<T>& problem, const TaskRecord& record,
                             SmallFrontVector<T, columns>& vector)
      : Base(problem, record, vector.children), entry_(vector.entry) {}

  template <bool lower>
  __device__ void run() {
    if constexpr (lower) {
      forward();
    } else {
      backward();
    }
  }

 private:
  static constexpr int rows_per_lane = tile / warp_size;
  static constexpr int batch = 8;  // entries of each row that a lane holds at a time

  using Factors = T[batch][rows_per_lane];
  using Sums = T[rows_per_lane][columns];

  __device__ const T* stored() const { return problem_.factors + shape_.factors; }
  __device__ Index order() const { return shape_.pivots + shape_.rows; }

  // sum += factor * entry for the columns first, first + step ...
  __device__ void add_products(const Factors& factor, Index first, Index step, Sums& sum) const {
#pragma unroll
    for (int q = 0; q < batch; ++q) {
      const Index k = min(first + q * step, order() - 1);
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
#pragma unroll
        for (int c = 0; c < columns; ++c) sum[r][c] += factor[q][r] * entry_[k][c];
      }
    }
  }

  // Columns from `first` of L, of this lane's rows.
  __device__ void load_lower(Index first, Factors& factor) const {
#pragma unroll
    for (int q = 0; q < batch; ++q) {
      const Index k = first + q;
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        const Index i = WarpGroup::rank() + r * warp_size;
        const bool there = k < shape_.pivots && i > k && i < order();
        factor[q][r] = there ? stored()[k * order() + i] : T(0);
      }
    }
  }

  // As the factorization has exchanged the pivots' rows.
  __device__ void exchange_rows() {
    T value[rows_per_lane][columns];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      if (i < shape_.pivots) Base::store(value[r], entry_[problem_.row_source[shape_.first + i]]);
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      if (i < shape_.pivots) Base::store(entry_[i], value[r]);
    }
    __syncwarp();
  }

  __device__ void forward() {
    const Index pivots = shape_.pivots;
    Factors factor;
    load_lower(0, factor);
    for (Index i = WarpGroup::rank(); i < order(); i += warp_size) {
      T value[columns] = {};
      if (i < pivots) Base::load_right_hand_side(shape_.first + i, value);
      Base::store(entry_[i], value);
    }
    __syncwarp();
    Base::add_children(entry_, [](Index row) { return row; });
    if constexpr (pivoting == Pivoting::diagonal_block) exchange_rows();
    Sums sum = {};
#pragma unroll 1
    for (Index first = 0;;) {
      add_products(factor, first, 1, sum);
      first += batch;
      if (first >= pivots) break;
      load_lower(first, factor);
    }
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      if (i >= order()) continue;
#pragma unroll
      for (int c = 0; c < columns; ++c) sum[r][c] += entry_[i][c];
      Base::store(i < pivots ? at(problem_.solution, shape_.first + i)
                             : at(problem_.contributions, shape_.parent_rows + i - pivots),
                  sum[r]);
    }
    count_up<WarpGroup>(problem_.sync.done + task_.front);
  }

  // For U the warp is cut into groups of lanes, as many as pivots (a power of two): a lane has one
  // row, or two where there are more than 32, and every so many columns of it.
  struct Place {
    int group_lanes = 1, groups, row, column;

    __device__ explicit Place(Index pivots) {
      while (group_lanes < pivots && group_lanes < warp_size) group_lanes *= 2;
      groups = warp_size / group_lanes;
      row = WarpGroup::rank() & (group_lanes - 1);
      column = WarpGroup::rank() / group_lanes;
    }
    __device__ Index row_of(int r) const { return row + r * warp_size; }
    // Whether this lane has the solution of its r-th row in the end.
    __device__ bool solves(int r, Index pivots) const { return column == 0 && row_of(r) < pivots; }
  };

  __device__ void load_upper(const Place& place, Index first, Factors& factor) const {
    const Index pivots = shape_.pivots;
#pragma unroll
    for (int q = 0; q < batch; ++q) {
      const Index k = first + place.column + q * place.groups;
      const T* const column =
          stored() + (k < pivots ? k * order() : pivots * order() + (k - pivots) * pivots);
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        const Index i = place.row_of(r);
        factor[q][r] = i <= k && i < pivots && k < order() ? column[i] : T(0);
      }
    }
  }

  __device__ void backward() {
    const Index pivots = shape_.pivots;
    const Place place(pivots);
    Factors factor;
    load_upper(place, 0, factor);
    Index position[rows_per_lane];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      position[r] = i < pivots    ? shape_.first + i
                    : i < order() ? problem_.row[shape_.parent_rows + i - pivots]
                                  : -1;
    }
    Index label[rows_per_lane] = {};
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (place.solves(r, pivots)) label[r] = problem_.label[shape_.first + place.row_of(r)];
    }
    Base::wait_for_parent();
    double scale[rows_per_lane];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) scale[r] = Base::solution_scale(label[r]);
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (position[r] < 0) continue;
      Base::load(at(problem_.solution, position[r]), entry_[WarpGroup::rank() + r * warp_size]);
    }
    __syncwarp();
    Sums sum = {};
#pragma unroll 1
    for (Index first = 0;;) {
      add_products(factor, first + place.column, place.groups, sum);
      first += batch * place.groups;
      if (first >= order()) break;
      load_upper(place, first, factor);
    }
    fold_groups(place, sum);
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (!place.solves(r, pivots)) continue;
      Base::store(at(problem_.solution, shape_.first + place.row_of(r)), sum[r]);
    }
    count_up<WarpGroup>(problem_.sync.done + task_.front);
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (place.solves(r, pivots)) Base::write_solution(label[r], scale[r], sum[r]);
    }
  }

  // The sums of the groups' lanes of equal row, in a fixed order.
  __device__ static void fold_groups(const Place& place, Sums& sum) {
#pragma unroll 1
    for (int distance = warp_size / 2; distance >= place.group_lanes; distance /= 2) {
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          sum[r][c] += __shfl_xor_sync(full_warp, sum[r][c], distance);
        }
      }
    }
  }

  T (*entry_)[columns];
};

}  // namespace lufact::gpu
