// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/solve/many_columns.cuh"
#include "gpu/fronts/solve/tile_row.cuh"

namespace lufact::gpu {

template <class T>
struct ManyTileRowMemory {
  static constexpr int leading = tile + 2;  // rows of a column of factors begin at whole 16 bytes

  ManyRow<T> own[tile];     // right-hand sides of the row, then its solutions
  ManyRow<T> other[tile];   // solutions of another tile row
  T factor[tile][leading];  // a tile by columns
  ChildRows children[children_at_hand];
};

// A tile row of a front by one block, for many right-hand sides. Half a warp has four of its rows.
template <class T, bool transposed>
class ManyTileRow : private TileRow<T, ManyColumns<T, SolveGroup>, transposed> {
  using Base = TileRow<T, ManyColumns<T, SolveGroup>, transposed>;
  using Memory = ManyTileRowMemory<T>;
  using Base::at, Base::column, Base::first_of, Base::flag_of, Base::number_, Base::problem_,
      Base::rows_of, Base::shape_, Base::task_;
  using typename Base::TilePart;
  static constexpr int rows_of_half = Base::rows_per_warp / halves;

 public:
  __device__ ManyTileRow(const SolveProblem<T>& problem, const TaskRecord& record, Memory& memory)
      : Base(record.task.tile_row, problem, record, memory.children), memory_(memory) {}

  __device__ void forward() {
    const Index rows = rows_of(number_), first = first_of(number_);
    TilePart part = Base::part_by_columns(0);
    set_rows(memory_.own, [&](Index i) {
      return Base::pivot_row() && i < rows ? Base::right_hand_side(shape_.first + first + i) : T(0);
    });
    __syncthreads();
    const RowShift shift(shape_, number_);
    Base::add_children(memory_.own, [&](Index row) { return shift.inside(row); });
    T sum[rows_of_half] = {};
    for (Index k = 0; k < min(number_, shape_.pivot_tiles); ++k) {
      const TilePart following = Base::part_by_columns(k + 1);
      load_solution(problem_.lower, k);
      put_by_columns(part);
      __syncthreads();
      add_products(memory_.other, shape_.pivot_width, sum);
      __syncthreads();
      part = following;
    }
    for_own_rows([&](Index i, int r) { memory_.own[i][column()] -= sum[r]; });
    if (!Base::pivot_row()) {
      for_own_rows([&](Index i, int) {
        if (i < rows) publish(problem_.contributions, shape_.parent_rows + first + i, i);
      });
      return Base::count(problem_.lower.done + task_.front);
    }
    put_by_columns(part);
    solve_with_factor(shape_.pivot_width);
    for_own_rows([&](Index i, int) {
      if (i < rows) publish(problem_.solution, shape_.first + first + i, i);
    });
    Base::tell(flag_of(problem_.lower, number_));
  }

  __device__ void backward() {
    if (!Base::pivot_row()) {
      // A front without pivots has nothing to solve, but fronts below wait for its word.
      if (number_ > 0) return;
      Base::wait_for_parent();
      return Base::count(problem_.upper.done + task_.front);
    }
    const Index rows = rows_of(number_), first = shape_.first + first_of(number_);
    Index j = shape_.tiles - 1;
    TilePart part = Base::part_by_rows(j);
    Base::wait_for_parent();
    set_rows(memory_.own,
             [&](Index i) { return i < rows ? __ldcg(at(problem_.solution, first + i)) : T(0); });
    T sum[rows_of_half] = {};
    for (; j > number_; --j) {
      const TilePart following = Base::part_by_rows(j - 1);
      j < shape_.pivot_tiles ? load_solution(problem_.upper, j) : load_contribution_rows(j);
      put_by_rows(part);
      __syncthreads();
      add_products(memory_.other, tile, sum);
      __syncthreads();
      part = following;
    }
    for_own_rows([&](Index i, int r) { memory_.own[i][column()] -= sum[r]; });
    put_by_rows(part);
    solve_with_factor(tile);
    for_own_rows([&](Index i, int) {
      if (i < rows) publish(problem_.solution, first + i, i);
    });
    Base::tell(flag_of(problem_.upper, number_));
    Base::count(problem_.upper.done + task_.front);
    typename Base::Destination to[rows_of_half];
    for_own_rows([&](Index i, int r) {
      if (i < rows) to[r] = Base::destination(first + i);
    });
    for_own_rows([&](Index i, int r) {
      if (i < rows) Base::write_solution(to[r], memory_.own[i][column()]);
    });
  }

 private:
  __device__ static int first_own_row() { return Base::first_row() + Base::half() * rows_of_half; }
  // body(row, its number among those of the half) for the half's rows.
  template <class Body>
  __device__ static void for_own_rows(const Body& body) {
#pragma unroll
    for (int r = 0; r < rows_of_half; ++r) body(static_cast<Index>(first_own_row()) + r, r);
  }
  template <class Value>
  __device__ static void set_rows(ManyRow<T>* to, const Value& value) {
    T row[rows_of_half];
    for_own_rows([&](Index i, int r) { row[r] = value(i); });
    for_own_rows([&](Index i, int r) { to[i][column()] = row[r]; });
  }
  __device__ void publish(T* vectors, Offset place, Index i) const {
    store_result(at(vectors, place), memory_.own[i][column()]);
  }

  // other := the solutions of pivot tile row k, 0 beyond its rows. A barrier is to follow.
  __device__ void load_solution(const SweepWords& words, Index k) {
    wait_for_words<SolveGroup>(
        1, [&](int) { return flag_of(words, k); }, [](int) { return 1U; });
    const Index rows = rows_of(k), first = shape_.first + first_of(k);
    set_rows(memory_.other,
             [&](Index i) { return i < rows ? __ldcg(at(problem_.solution, first + i)) : T(0); });
  }
  // The same for the contribution rows of tile row j, whose solutions are known.
  __device__ void load_contribution_rows(Index j) {
    const Index rows = min(rows_of(j), tile), first = shape_.parent_rows + first_of(j);
    set_rows(memory_.other, [&](Index i) {
      return i < rows ? __ldcg(at(problem_.solution, problem_.row[first + i])) : T(0);
    });
  }

  // factor := a tile that the block's threads have.
  __device__ void put_by_columns(const TilePart& part) {
    const int row = static_cast<int>(threadIdx.x) % tile;
    const int depth = shape_.pivot_width / Base::parts;
    const int first = static_cast<int>(threadIdx.x) / tile * depth;
#pragma unroll
    for (int d = 0; d < tile / Base::parts; ++d) {
      if (d < depth) memory_.factor[first + d][row] = part.entry[d];
    }
  }
  __device__ void put_by_rows(const TilePart& part) {
#pragma unroll
    for (int piece = 0; piece < Base::columns_per_lane; ++piece) {
#pragma unroll
      for (int r = 0; r < Base::rows_per_warp; ++r) {
        memory_.factor[Base::lane() + piece * warp_size][Base::first_row() + r] =
            part.entry[piece * Base::rows_per_warp + r];
      }
    }
  }

  // sum += the half's rows of factor * vector, in order of columns.
  __device__ void add_products(const ManyRow<T>* vector, int depth, T (&sum)[rows_of_half]) const {
#pragma unroll 4
    for (int k = 0; k < depth; ++k) {
      const T value = vector[k][column()];
#pragma unroll
      for (int r = 0; r < rows_of_half; ++r) {
        sum[r] += memory_.factor[k][first_own_row() + r] * value;
      }
    }
  }
  // own := factor * own.
  __device__ void solve_with_factor(int depth) {
    __syncthreads();
    T sum[rows_of_half] = {};
    add_products(memory_.own, depth, sum);
    __syncthreads();
    for_own_rows([&](Index i, int r) { memory_.own[i][column()] = sum[r]; });
  }

  Memory& memory_;
};

}  // namespace lufact::gpu
