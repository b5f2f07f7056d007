// SPDX-License-Identifier: BSD-3-Clause
// The work of one front or of one tile row in a triangular solve, for `columns` right-hand sides at
// a time. Forwards every front adds up what its children contribute to its rows, solves with its L
// and contributes to its parent; backwards it takes the solution at its rows and solves with its U.
// Triangular tiles are stored as their inverses, so that all of this is products.
#pragma once
#include "gpu/fronts/assembly.cuh"

namespace lufact::gpu {

inline constexpr int solve_threads = 256;
inline constexpr int solve_warps = solve_threads / warp_size;
static_assert(solve_warps == solve_warps_per_ticket);

struct SolveGroup {
  static constexpr int threads = solve_threads;
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static void sync() { __syncthreads(); }
};

template <class T>
struct SolveProblem {
  FrontPlan plan;
  FrontSync sync;  // flag: of tile rows, by the front's diagonal tiles; done: of fronts
  const T* factors = nullptr;
  T* solution = nullptr;       // [position * columns + c]: of L, then of U
  T* contributions = nullptr;  // the same by contribution rows
  const Index* row = nullptr;
  const Index* label = nullptr;
  double* x = nullptr;
  Index n = 0;
};

template <class T, int columns>
struct TileRowMemory {
  T own[tile][columns];    // right-hand side of the row, then its solution
  T other[tile][columns];  // solution of another tile row
  T partial[solve_threads / tile][tile][columns];
};

template <class T, int columns>
struct SmallFrontVector {
  T entry[tile][columns];
};

template <class T, int columns>
union SweepMemory {
  TileRowMemory<T, columns> row;
  SmallFrontVector<T, columns> front[solve_warps];
};

// What both kinds of task share: how they wait and where their vectors are.
template <class T, int columns, class Group>
class Sweep {
 protected:
  __device__ Sweep(const SolveProblem<T>& problem, const TaskRecord& record)
      : problem_(problem), task_(record.task), shape_(record.shape) {}

  __device__ static T* at(T* vectors, Offset place) { return vectors + place * columns; }

  // entry[inside(row)] += what the children contribute. Entries are complete for all threads.
  template <class Inside>
  __device__ void add_children(T (*entry)[columns], const Inside& inside) const {
    for (Index first = task_.block_begin; first < task_.block_end; first += warp_size) {
      const ChildBlock* const blocks = problem_.plan.block + first;
      const int count = min(task_.block_end - first, warp_size);
      wait_for_words<Group>(
          count, [&](int k) { return problem_.sync.done + blocks[k].child; },
          [&](int k) { return contributing_tasks(blocks[k].child); });
      for (int k = 0; k < count; ++k) {
        add_child(blocks[k], entry, inside);
        Group::sync();
      }
    }
    if (task_.block_begin == task_.block_end) Group::sync();
  }

  // Waits until the solution is known at all of this front's contribution rows.
  __device__ void wait_for_parent() const {
    if (shape_.parent < 0) return;
    wait_for_words<Group>(
        1, [&](int) { return problem_.sync.done + shape_.parent; },
        [&](int) {
          return static_cast<unsigned>(max(problem_.plan.shape[shape_.parent].pivot_tiles, 1));
        });
  }

  __device__ void load_right_hand_side(Index position, T (&entry)[columns]) const {
    const Index label = problem_.label[position];
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      entry[c] = static_cast<T>(problem_.x[static_cast<Offset>(c) * problem_.n + label]);
    }
  }
  __device__ void store_solution(Index position, const T (&entry)[columns]) const {
    const Index label = problem_.label[position];
    T* const to = at(problem_.solution, position);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      to[c] = entry[c];
      problem_.x[static_cast<Offset>(c) * problem_.n + label] = static_cast<double>(entry[c]);
    }
  }
  __device__ static void load(const T* from, T (&entry)[columns]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) entry[c] = __ldcg(from + c);
  }
  __device__ static void store(T* to, const T (&entry)[columns]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) to[c] = entry[c];
  }

  const SolveProblem<T>& problem_;
  const FrontTask& task_;
  const FrontShape& shape_;

 private:
  __device__ unsigned contributing_tasks(Index front) const {
    const FrontShape& shape = problem_.plan.shape[front];
    return shape.tiles == 0 ? 1U : static_cast<unsigned>(shape.tiles - shape.pivot_tiles);
  }

  template <class Inside>
  __device__ void add_child(const ChildBlock& block, T (*entry)[columns],
                            const Inside& inside) const {
    for (Index r = block.row_begin + Group::rank(); r < block.row_end; r += Group::threads) {
      const Offset row = block.parent_rows + r;
      T value[columns];
      load(at(problem_.contributions, row), value);
      T(&to)[columns] = entry[inside(problem_.plan.parent_row[row])];
#pragma unroll
      for (int c = 0; c < columns; ++c) to[c] += value[c];
    }
  }
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

// A tile row of a front by one block.
template <class T, int columns>
class TileRowSweep : private Sweep<T, columns, SolveGroup> {
  using Base = Sweep<T, columns, SolveGroup>;
  using Base::at, Base::problem_, Base::shape_, Base::task_;

 public:
  __device__ TileRowSweep(const SolveProblem<T>& problem, const TaskRecord& record,
                          TileRowMemory<T, columns>& memory)
      : Base(problem, record), memory_(memory), number_(record.task.tile_row) {}

  template <bool lower>
  __device__ void run() {
    if constexpr (lower) {
      forward();
    } else {
      backward();
    }
  }

 private:
  static constexpr int parts = solve_threads / tile;         // of a tile's depth, forwards
  static constexpr int rows_per_warp = tile / solve_warps;   // backwards
  static constexpr int columns_per_lane = tile / warp_size;  // backwards

  __device__ bool pivot_row() const { return number_ < shape_.pivot_tiles; }
  // First row of a tile row in the front, contribution rows counted from 0 again; and its rows.
  __device__ Index first_of(Index number) const {
    return number < shape_.pivot_tiles ? number * shape_.pivot_width
                                       : (number - shape_.pivot_tiles) * shape_.row_width;
  }
  __device__ Index rows_of(Index number) const {
    return number < shape_.pivot_tiles ? min(shape_.pivot_width, shape_.pivots - first_of(number))
                                       : min(shape_.row_width, shape_.rows - first_of(number));
  }
  __device__ unsigned* flag_of(Index k) const {
    return problem_.sync.flag + shape_.flags + lower_tile(shape_, k, k);
  }
  __device__ const T* stored(Index number) const {
    return problem_.factors + tile_place(shape_, number);
  }

  // other := the solution of pivot tile row k, 0 beyond its rows. A barrier before and after.
  __device__ void load_solution(Index k) {
    wait_for_words<SolveGroup>(
        1, [&](int) { return flag_of(k); }, [](int) { return 1U; });
    const Index i = static_cast<Index>(threadIdx.x);
    if (i < tile) {
      T value[columns] = {};
      if (i < rows_of(k)) {
        Base::load(at(problem_.solution, shape_.first + first_of(k) + i), value);
      }
      Base::store(memory_.other[i], value);
    }
    __syncthreads();
  }

  __device__ void forward() {
    const Index rows = rows_of(number_), first = first_of(number_);
    const Index i = static_cast<Index>(threadIdx.x);
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
      load_solution(k);
      add_by_columns(stored(lower_tile(shape_, number_, k)), memory_.other, sum);
      __syncthreads();
    }
    reduce_parts(sum, T(-1));
    if (!pivot_row()) {
      if (i < rows) {
        Base::store(at(problem_.contributions, shape_.parent_rows + first + i), memory_.own[i]);
      }
      return count_up<SolveGroup>(problem_.sync.done + task_.front);
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) sum[c] = T(0);
    add_by_columns(stored(lower_tile(shape_, number_, number_)), memory_.own, sum);
    __syncthreads();
    if (i < tile) {
      const T zero[columns] = {};
      Base::store(memory_.own[i], zero);
    }
    reduce_parts(sum, T(1));
    if (i < rows) Base::store(at(problem_.solution, shape_.first + first + i), memory_.own[i]);
    raise_flag<SolveGroup>(flag_of(number_));
  }

  // Thread t: row t % 64 of a tile of L, a part of its depth.
  __device__ void add_by_columns(const T* tile_entries, const T (*vector)[columns],
                                 T (&sum)[columns]) const {
    const int row = static_cast<int>(threadIdx.x) % tile,
              part = static_cast<int>(threadIdx.x) / tile;
    const Index depth = shape_.pivot_width / parts;
#pragma unroll 16
    for (Index k = part * depth; k < (part + 1) * depth; ++k) {
      const T factor = tile_entries[k * tile + row];
#pragma unroll
      for (int c = 0; c < columns; ++c) sum[c] += factor * vector[k][c];
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

  // Lane l of a warp: columns l and l + 32 of a tile of U, the warp's rows.
  using RowSums = T[rows_per_warp][columns];

  __device__ void backward() {
    if (!pivot_row()) {
      // A front without pivots has nothing to solve, but those below it wait for it.
      if (number_ > 0) return;
      Base::wait_for_parent();
      return count_up<SolveGroup>(problem_.sync.done + task_.front);
    }
    const Index i = static_cast<Index>(threadIdx.x);
    RowSums sum = {};
    Base::wait_for_parent();
    for (Index j = shape_.tiles - 1; j > number_; --j) {
      if (j < shape_.pivot_tiles) {
        load_solution(j);
      } else {
        load_contribution_rows(j);
      }
      add_by_rows(stored(upper_tile(shape_, number_, j)), memory_.other, sum);
      __syncthreads();
    }
    const Index rows = rows_of(number_), first = shape_.first + first_of(number_);
    if (i < tile) {
      T value[columns] = {};
      if (i < rows) Base::load(at(problem_.solution, first + i), value);
      Base::store(memory_.own[i], value);
    }
    __syncthreads();
    fold_rows(sum, T(-1));
    RowSums solved = {};
    add_by_rows(stored(upper_tile(shape_, number_, number_)), memory_.own, solved);
    __syncthreads();
    if (i < tile) {
      const T zero[columns] = {};
      Base::store(memory_.own[i], zero);
    }
    __syncthreads();
    fold_rows(solved, T(1));
    if (i < rows) Base::store_solution(first + i, memory_.own[i]);
    raise_flag<SolveGroup>(flag_of(number_));
    count_up<SolveGroup>(problem_.sync.done + task_.front);
  }

  __device__ void load_contribution_rows(Index j) {
    const Index i = static_cast<Index>(threadIdx.x);
    if (i < tile) {
      T value[columns] = {};
      if (i < rows_of(j)) {
        const Index position = problem_.row[shape_.parent_rows + first_of(j) + i];
        Base::load(at(problem_.solution, position), value);
      }
      Base::store(memory_.other[i], value);
    }
    __syncthreads();
  }

  __device__ static int first_row() {
    return static_cast<int>(threadIdx.x) / warp_size * rows_per_warp;
  }
  __device__ static int lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
  }

  __device__ void add_by_rows(const T* tile_entries, const T (*vector)[columns],
                              RowSums& sum) const {
#pragma unroll
    for (int part = 0; part < columns_per_lane; ++part) {
      const int column = lane() + part * warp_size;
#pragma unroll
      for (int r = 0; r < rows_per_warp; ++r) {
        const int row = first_row() + r;
        const T factor = row < shape_.pivot_width ? tile_entries[row * tile + column] : T(0);
#pragma unroll
        for (int c = 0; c < columns; ++c) sum[r][c] += factor * vector[column][c];
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
  Index number_;
};

}  // namespace lufact::gpu
