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

}  // namespace lufact::gpu
