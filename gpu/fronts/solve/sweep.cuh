// SPDX-License-Identifier: BSD-3-Clause
// The work of one front or of one tile row in a triangular solve, for `columns` right-hand sides at
// a time. Forward, a front adds up its children's contributions to its rows, solves with its L and
// contributes to its parent; backward, it reads the solution at its contribution rows and solves
// with its U. Triangular tiles are stored as inverses, so that every solve is a product.
#pragma once
#include <cuda/std/type_traits>

#include "gpu/fronts/solve/front_vectors.hpp"
#include "gpu/fronts/tasks/publish.cuh"
#include "gpu/fronts/tasks/row_shift.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

inline constexpr int solve_threads = 256;
inline constexpr int solve_warps = solve_threads / warp_size;
static_assert(solve_warps == solve_warps_per_ticket);

struct SolveGroup {
  static constexpr int threads = solve_threads;
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static void sync() { __syncthreads(); }
};

// How fronts wait for each other: for words that say that values are there, or for the values
// themselves. The second is quicker by a way to the second-level cache and back from front to
// front, but each solve needs arrays of its own, in which nothing is there before.
enum class HandOver { by_words, by_values };

// Values of the solve before and after, which a solve marks as not there.
template <class T>
struct IdleValues {
  T* entry = nullptr;
  Offset count = 0;

  // By all threads of the grid.
  __device__ void clear() const {
    static_assert(sizeof(T) % sizeof(unsigned) == 0);
    unsigned* const word = reinterpret_cast<unsigned*>(entry);
    const Offset words = count * static_cast<Offset>(sizeof(T) / sizeof(unsigned));
    const Offset step = static_cast<Offset>(gridDim.x) * blockDim.x;
    for (Offset w = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x; w < words;
         w += step) {
      word[w] = ~0U;
    }
  }
};

// Words of the sweep with L, or with U, as in FrontSync. The flag of a tile row is that of the
// row's diagonal tile.
struct SweepWords {
  unsigned *flag = nullptr, *done = nullptr;
};

template <class T>
struct SolveProblem {
  FrontPlan plan;
  unsigned* next_ticket = nullptr;  // tickets of the sweep with U follow those with L
  SweepWords lower, upper;
  const T* factors = nullptr;
  // [position * columns + c]: U \ (L \ b); before that L \ b, but where values are handed over
  T* solution = nullptr;
  T* contributions = nullptr;  // the same by contribution rows
  const Index* row = nullptr;
  const Index* label = nullptr;
  FrontVectors vectors;
  Index n = 0, live_columns = 0;              // of many_columns, where a kernel for them runs
  const unsigned char* row_source = nullptr;  // as in FrontProblem
  RunningFactorization running;
  IdleWords idle;  // of the solve before and after
};

// What a solve has besides where values are handed over. Solutions with L and U stand together.
template <class T>
struct ValueSolveProblem : SolveProblem<T> {
  T* lower_solution = nullptr;  // L \ b
  IdleValues<T> idle_solutions, idle_contributions;
};
template <class T, HandOver way>
using SweepProblem =
    cuda::std::conditional_t<way == HandOver::by_values, ValueSolveProblem<T>, SolveProblem<T>>;

// Children that a group handles at a time, and the rows that one child adds to a task's rows.
inline constexpr int children_at_hand = 12;
struct ChildRows {
  Offset first;  // in FrontTree::parent_row
  Index count;
};

// The common part of both kinds of task: waiting, and access to vectors.
template <class T, int columns, class Group, HandOver way>
class Sweep {
 protected:
  static constexpr bool by_values = way == HandOver::by_values;
  static_assert(!by_values || columns == 1);

  __device__ Sweep(const SweepProblem<T, way>& problem, const TaskRecord& record,
                   ChildRows (&children)[children_at_hand])
      : problem_(problem), task_(record.task), shape_(record.shape), children_(children) {}

  // Waits for a word of a factorization that runs beside the solve; null: for nothing. It is rarely
  // the last word to wait for, and seldom looked at, so that the factorization has the memory.
  __device__ static void wait_for_factors(const unsigned* word) {
    if (word == nullptr) return;
    if (Group::rank() == 0) {
      while (acquire_word(word) == 0) __nanosleep(64);
    }
    Group::sync();
  }

  __device__ bool is_root() const { return shape_.parent < 0; }

  __device__ static T* at(T* vectors, Offset place) { return vectors + place * columns; }

  // entry[inside(row)] += the children's contributions. On return all threads see the sums.
  template <class Inside>
  __device__ void add_children(T (*entry)[columns], const Inside& inside) const {
    for (Index first = task_.block_begin; first < task_.block_end; first += children_at_hand) {
      const int count = min(task_.block_end - first, children_at_hand);
      const AwaitedWord word = look_at_child(first, count);
      by_values ? Group::sync() : wait_for<Group>(word);
      add_rows(count, entry, inside);
    }
    if (task_.block_begin == task_.block_end) Group::sync();
  }

  // Waits until the solution is known at all contribution rows of this front. A root waits for
  // `solved_with_lower` instead, unless null: the sweep with L is then complete for all fronts
  // below, because the root's own sweep waited for them. Not where loads wait.
  __device__ void wait_for_parent(const unsigned* solved_with_lower) const {
    if constexpr (by_values) return;
    AwaitedWord word;
    if (Group::rank() == 0) {
      word = is_root() ? AwaitedWord(solved_with_lower, 1) : parent_solved();
    }
    wait_for<Group>(word);
  }

  // Products with scales are rounded on their own, as in a kernel that only scales.
  __device__ void load_right_hand_side(Index position, T (&entry)[columns]) const {
    const Index label = problem_.label[position];
    const double scale = scale_of(problem_.vectors.row_scale, label);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const double value = __ldcg(problem_.vectors.b + static_cast<Offset>(c) * problem_.n + label);
      entry[c] = static_cast<T>(__dmul_rn(value, scale));
    }
  }

  // Writing to x. No thread waits for x: the write comes after the flag that publishes the
  // solution, and its operands are loaded before.
  __device__ double solution_scale(Index label) const {
    return scale_of(problem_.vectors.col_scale, label);
  }
  __device__ void write_solution(Index label, double scale, const T (&entry)[columns]) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      problem_.vectors.x[static_cast<Offset>(c) * problem_.n + label] =
          __dmul_rn(static_cast<double>(entry[c]), scale);
    }
  }
  // The solution with L at a position.
  __device__ T* lower_solution(Offset position) const {
    if constexpr (by_values) {
      return at(problem_.lower_solution, position);
    } else {
      return at(problem_.solution, position);
    }
  }

  // What other blocks have published. Where values are handed over it may not be there yet before
  // complete().
  __device__ static void load(const T* from, T (&entry)[columns]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) entry[c] = by_values ? look_for(from + c) : __ldcg(from + c);
  }
  __device__ static void complete(const T* from, T (&entry)[columns]) {
    if constexpr (by_values) entry[0] = await(from, entry[0]);
  }
  __device__ static void store(T* to, const T (&entry)[columns]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) to[c] = entry[c];
  }
  // Stores a result that other blocks read.
  __device__ static void publish(T* to, const T (&entry)[columns]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      by_values ? hand_over(to + c, entry[c]) : store_result(to + c, entry[c]);
    }
  }
  // Tells, where words do, that results have been published. By all threads of the group.
  __device__ static void tell(unsigned* flag) {
    if constexpr (!by_values) raise_flag<Group>(flag);
  }
  __device__ static void count(unsigned* counter) {
    if constexpr (!by_values) count_up<Group>(counter);
  }

  __device__ static double scale_of(const double* scale, Index label) {
    return scale == nullptr ? 1.0 : scale[label];
  }

  // The word that thread k waits for: the k-th child's.
  __device__ AwaitedWord look_at_child(Index first, int count) const {
    const int k = Group::rank();
    if (k >= count) return {};
    const ChildBlock& child = problem_.plan.block[first + k];
    children_[k] = {child.parent_rows + child.row_begin, child.row_end - child.row_begin};
    // child.done counts a square of tiles; in a solve each tile row is one task.
    const float rows = sqrtf(static_cast<float>(child.done));
    return {problem_.lower.done + child.child, static_cast<unsigned>(rows + 0.5F)};
  }

  const SweepProblem<T, way>& problem_;
  const FrontTask& task_;
  const FrontShape& shape_;
  ChildRows (&children_)[children_at_hand];

 private:
  __device__ AwaitedWord parent_solved() const {
    const Index tasks = max(problem_.plan.shape[shape_.parent].pivot_tiles, 1);
    return {problem_.upper.done + shape_.parent, static_cast<unsigned>(tasks)};
  }

  // Loads of several children's rows overlap. Additions go one child after the other, since
  // different threads may add to the same place.
  template <class Inside>
  __device__ void add_rows(int count, T (*entry)[columns], const Inside& inside) const {
    constexpr int batch = columns == 1 && !by_values ? 8 : 4;
    int child = 0;
    Index next = 0;
#pragma unroll 1
    while (child < count) {
      T value[batch][columns] = {};
      const T* from[batch];
      Index to_row[batch];
      unsigned last = 0;  // bit k: row k is one of the last of its child
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        to_row[k] = -1;
        from[k] = nullptr;
        if (child == count) continue;
        const ChildRows rows = children_[child];
        const Index r = next + Group::rank();
        if (r < rows.count) {
          from[k] = at(problem_.contributions, rows.first + r);
          load(from[k], value[k]);
          to_row[k] = problem_.plan.parent_row[rows.first + r];
        }
        next += Group::threads;
        if (next < rows.count) continue;
        last |= 1U << k;
        ++child;
        next = 0;
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (to_row[k] >= 0) {
          complete(from[k], value[k]);
          T(&to)[columns] = entry[inside(to_row[k])];
#pragma unroll
          for (int c = 0; c < columns; ++c) to[c] += value[k][c];
        }
        if ((last >> k & 1) != 0) Group::sync();
      }
    }
  }
};

}  // namespace lufact::gpu
