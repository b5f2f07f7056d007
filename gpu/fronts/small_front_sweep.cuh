// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/sweep.cuh"

namespace lufact::gpu {

template <class T, int columns>
struct SmallFrontVector {
  T entry[tile][columns];
};

// A small front by one warp; lane l has its rows l and l + 32.
template <class T, int columns>
class SmallFrontSweep : private Sweep<T, columns, WarpGroup> {
  using Base = Sweep<T, columns, WarpGroup>;
  using Base::at, Base::problem_, Base::shape_, Base::task_;

 public:
  __device__ SmallFrontSweep(const SolveProblem<T>& problem, const TaskRecord& record,
                             SmallFrontVector<T, columns>& vector)
      : Base(problem, record), entry_(vector.entry) {}

  template <bool lower>
  __device__ void run() {
    if constexpr (lower) {
      forward();
    } else {
      backward();
    }
    count_up<WarpGroup>(problem_.sync.done + task_.front);
  }

 private:
  static constexpr int rows_per_lane = tile / warp_size;

  __device__ static Index row_of(int r) { return WarpGroup::rank() + r * warp_size; }
  __device__ const T* stored() const { return problem_.factors + shape_.factors; }

  __device__ void forward() {
    const Index pivots = shape_.pivots, order = pivots + shape_.rows;
    for (Index i = WarpGroup::rank(); i < order; i += warp_size) {
      T value[columns] = {};
      if (i < pivots) Base::load_right_hand_side(shape_.first + i, value);
      Base::store(entry_[i], value);
    }
    __syncwarp();
    Base::add_children(entry_, [](Index row) { return row; });
    T sum[rows_per_lane][columns];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
#pragma unroll
      for (int c = 0; c < columns; ++c) sum[r][c] = row_of(r) < order ? entry_[row_of(r)][c] : T(0);
    }
#pragma unroll 8
    for (Index k = 0; k < pivots; ++k) {
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        const Index i = row_of(r);
        const T factor = i > k && i < order ? stored()[k * order + i] : T(0);
#pragma unroll
        for (int c = 0; c < columns; ++c) sum[r][c] += factor * entry_[k][c];
      }
    }
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = row_of(r);
      if (i >= order) continue;
      Base::store(i < pivots ? at(problem_.solution, shape_.first + i)
                             : at(problem_.contributions, shape_.parent_rows + i - pivots),
                  sum[r]);
    }
  }

  __device__ void backward() {
    const Index pivots = shape_.pivots, order = pivots + shape_.rows;
    Base::wait_for_parent();
    for (Index i = WarpGroup::rank(); i < order; i += warp_size) {
      const Index position =
          i < pivots ? shape_.first + i : problem_.row[shape_.parent_rows + i - pivots];
      Base::load(at(problem_.solution, position), entry_[i]);
    }
    __syncwarp();
    T sum[rows_per_lane][columns] = {};
#pragma unroll 8
    for (Index k = 0; k < order; ++k) {
      const T* const column =
          k < pivots ? stored() + k * order : stored() + pivots * order + (k - pivots) * pivots;
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        const Index i = row_of(r);
        const T factor = i <= k && i < pivots ? column[i] : T(0);
#pragma unroll
        for (int c = 0; c < columns; ++c) sum[r][c] += factor * entry_[k][c];
      }
    }
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (row_of(r) < pivots) Base::store_solution(shape_.first + row_of(r), sum[r]);
    }
  }

  T (*entry_)[columns];
};

}  // namespace lufact::gpu
