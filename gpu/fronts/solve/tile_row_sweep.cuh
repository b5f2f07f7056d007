// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/solve/tile_row.cuh"

namespace lufact::gpu {

template <class T, int columns>
struct TileRowMemory {
  T own[tile][columns];    // right-hand side of the row, then its solution
  T other[tile][columns];  // solution of another tile row
  T partial[solve_threads / tile][tile][columns];
  ChildRows children[children_at_hand];
};

// A tile row of a front by one block.
template <class T, int columns, HandOver way>
class TileRowSweep : private TileRow<T, Sweep<T, columns, SolveGroup, way>> {
  using Base = TileRow<T, Sweep<T, columns, SolveGroup, way>>;
  using Base::at, Base::columns_per_lane, Base::contribution_position, Base::first_of,
      Base::first_row, Base::flag_of, Base::lane, Base::number_, Base::part_by_columns,
      Base::part_by_rows, Base::parts, Base::pivot_row, Base::problem_, Base::rows_of,
      Base::rows_per_warp, Base::shape_, Base::task_;
  using typename Base::TilePart;

 public:
  __device__ TileRowSweep(const SweepProblem<T, way>& problem, const TaskRecord& record,
                          TileRowMemory<T, columns>& memory)
      : Base(record.task.tile_row, problem, record, memory.children), memory_(memory) {}

  __device__ void forward() {
    const Index rows = rows_of(number_), first = first_of(number_);
    const Index i = static_cast<Index>(threadIdx.x);
    wait_for_tile(0);
    TilePart part = part_by_columns(0);
    if (i < tile) {
      T value[columns] = {};
      if (pivot_row() && i < rows) Base::load_right_hand_side(shape_.first + first + i, value);
      Base::store(memory_.own[i], value);
    }
    __syncthreads();
    const RowShift shift(shape_, number_);
    Base::add_children(memory_.own, [&](Index row) { return shift.inside(row); });
    T sum[columns] = {};
    for (Index k = 0; k < min(number_, shape_.pivot_tiles); ++k) {
      wait_for_tile(k + 1);
      const TilePart following = part_by_columns(k + 1);
      load_solution(problem_.lower, Base::lower_solution(0), k);
      add_by_columns(part, memory_.other, sum);
      __syncthreads();
      part = following;
    }
    reduce_parts(sum, T(-1));
    if (!pivot_row()) {
      if (i < rows) {
        Base::publish(at(problem_.contributions, shape_.parent_rows + first + i), memory_.own[i]);
      }
      return Base::count(problem_.lower.done + task_.front);
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) sum[c] = T(0);
    add_by_columns(part, memory_.own, sum);
    __syncthreads();
    if (i < tile) {
      const T zero[columns] = {};
      Base::store(memory_.own[i], zero);
    }
    reduce_parts(sum, T(1));
    if (i < rows) Base::publish(Base::lower_solution(shape_.first + first + i), memory_.own[i]);
    Base::tell(flag_of(problem_.lower, number_));
  }

  __device__ void backward() {
    Base::wait_for_factors(problem_.running.complete);
    if (!pivot_row()) {
      // A front without pivots has nothing to solve, but fronts below wait for its word.
      if (number_ > 0) return;
      Base::wait_for_parent();
      return Base::count(problem_.upper.done + task_.front);
    }
    const Index i = static_cast<Index>(threadIdx.x);
    const Index rows = rows_of(number_), first = shape_.first + first_of(number_);
    Index j = shape_.tiles - 1;
    TilePart part = part_by_rows(j);
    Index position = contribution_position(j);
    const Index label = i < rows ? problem_.label[first + i] : 0;
    RowSums sum = {};
    Base::wait_for_parent();
    T own[columns] = {};
    if (i < rows) {
      Base::load(Base::lower_solution(first + i), own);
      Base::complete(Base::lower_solution(first + i), own);
    }
    // A store waits for its load, so it comes later where registers allow.
    if (!room_for_two_parts && i < tile) Base::store(memory_.own[i], own);
    const double scale = Base::solution_scale(label);
    for (; j > number_; --j) {
      TilePart following;
      if constexpr (room_for_two_parts) following = part_by_rows(j - 1);
      const Index following_position = contribution_position(j - 1);
      if (j < shape_.pivot_tiles) {
        load_solution(problem_.upper, problem_.solution, j);
      } else {
        load_contribution_rows(position);
      }
      add_by_rows(part, memory_.other, sum);
      __syncthreads();
      if constexpr (room_for_two_parts) {
        part = following;
      } else {
        part = part_by_rows(j - 1);
      }
      position = following_position;
    }
    if (room_for_two_parts && i < tile) Base::store(memory_.own[i], own);
    __syncthreads();
    fold_rows(sum, T(-1));
    RowSums solved = {};
    add_by_rows(part, memory_.own, solved);
    __syncthreads();
    if (i < tile) {
      const T zero[columns] = {};
      Base::store(memory_.own[i], zero);
    }
    __syncthreads();
    fold_rows(solved, T(1));
    if (i < rows) Base::publish(at(problem_.solution, first + i), memory_.own[i]);
    Base::tell(flag_of(problem_.upper, number_));
    Base::count(problem_.upper.done + task_.front);
    if (i < rows) Base::write_solution(label, scale, memory_.own[i]);
  }

 private:
  static constexpr bool room_for_two_parts = columns == 1;  // in registers, backwards

  // other := the solution of pivot tile row k, 0 beyond its rows. A barrier before and after.
  __device__ void load_solution(const SweepWords& words, const T* solution, Index k) {
    if constexpr (Base::by_values) {
      __syncthreads();
    } else {
      wait_for_words<SolveGroup>(
          1, [&](int) { return flag_of(words, k); }, [](int) { return 1U; });
    }
    const Index i = static_cast<Index>(threadIdx.x);
    load_other(i < rows_of(k), solution + (shape_.first + first_of(k) + i) * Offset{columns});
  }
  // other := what is at `from` for each of the first threads that has something there, else 0. A
  // barrier at the end.
  __device__ void load_other(bool there, const T* from) {
    const Index i = static_cast<Index>(threadIdx.x);
    if (i < tile) {
      T value[columns] = {};
      if (there) {
        Base::load(from, value);
        Base::complete(from, value);
      }
      Base::store(memory_.other[i], value);
    }
    __syncthreads();
  }

  // For tile k of L in this tile row, where it is one and the factorization still runs.
  __device__ void wait_for_tile(Index k) const {
    const unsigned* const flags = problem_.running.flag;
    const bool there = k <= number_ && k < shape_.pivot_tiles;
    Base::wait_for_factors(flags != nullptr && there
                               ? flags + shape_.flags + lower_tile(shape_, number_, k)
                               : nullptr);
  }

  __device__ void add_by_columns(const TilePart& factor, const T (*vector)[columns],
                                 T (&sum)[columns]) const {
    const int part = static_cast<int>(threadIdx.x) / tile, depth = shape_.pivot_width / parts;
#pragma unroll
    for (int k = 0; k < tile / parts; ++k) {
      if (k >= depth) break;
#pragma unroll
      for (int c = 0; c < columns; ++c) sum[c] += factor.entry[k] * vector[part * depth + k][c];
    }
  }

  // own += sign * the parts' sums, in order of parts.
  __device__ void reduce_parts(const T (&sum)[columns], T sign) {
    const int row = static_cast<int>(threadIdx.x) % tile,
              part = static_cast<int>(threadIdx.x) / tile;
    Base::store(memory_.partial[part][row], sum);
    __syncthreads();
    if (part == 0) {
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        T total = memory_.partial[0][row][c];
#pragma unroll
        for (int p = 1; p < parts; ++p) total += memory_.partial[p][row][c];
        memory_.own[row][c] += sign * total;
      }
    }
    __syncthreads();
  }

  // Sums of a warp's rows; lane l has columns l and l + 32 of a tile of U.
  using RowSums = T[rows_per_warp][columns];

  __device__ void load_contribution_rows(Index position) {
    load_other(position >= 0, at(problem_.solution, position));
  }

  __device__ void add_by_rows(const TilePart& factor, const T (*vector)[columns],
                              RowSums& sum) const {
#pragma unroll
    for (int part = 0; part < columns_per_lane; ++part) {
#pragma unroll
      for (int r = 0; r < rows_per_warp; ++r) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          sum[r][c] +=
              factor.entry[part * rows_per_warp + r] * vector[lane() + part * warp_size][c];
        }
      }
    }
  }

  // own += sign * the sums over the lanes. A barrier at the end.
  __device__ void fold_rows(const RowSums& sum, T sign) {
#pragma unroll
    for (int r = 0; r < rows_per_warp; ++r) {
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        T total = sum[r][c];
#pragma unroll
        for (int offset = warp_size / 2; offset > 0; offset /= 2) {
          total += __shfl_xor_sync(full_warp, total, offset);
        }
        if (lane() == 0) memory_.own[first_row() + r][c] += sign * total;
      }
    }
    __syncthreads();
  }

  TileRowMemory<T, columns>& memory_;
};

}  // namespace lufact::gpu
